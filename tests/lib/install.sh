# What both commands of the project (packaging/try, tests/run) need to be there before they start.
#
# To be sourced by bash. Everything is asked for by what it is used for (a program on PATH, a library that
# pkg-config knows), so a machine on which it was installed in another way is left alone. Debian packages come
# through apt-get; Node.js packages come through npm, with exact versions, into a folder of the user's cache.
# Functions answer with a status; nothing is installed twice.

claude_version=2.1.332
node_version=22.23.5
node_minimum=18

if [ -z "${HOME:-}" ]; then
    HOME=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
    export HOME=${HOME:-/tmp}
fi
tools_cache=${XDG_CACHE_HOME:-$HOME/.cache}/herald/development

say() { printf '%s\n' "$*"; }
complain() { printf '%s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# Runs a long step: says what it does, and every 15 seconds that it still does it. What the step prints is shown
# only when it fails. The step is a process group of its own, so that an interrupt ends all of it.
step() { # WHAT COMMAND...
    local what=$1 log started pid beat rc=0
    shift
    log=$(mktemp) || return 1
    started=$SECONDS
    say "$what ..."
    set -m
    "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    while sleep 15 >/dev/null 2>&1; do say "  still at it, $((SECONDS - started)) s"; done &
    beat=$!
    set +m
    trap 'kill -- -$pid -$beat 2>/dev/null; rm -f "$log"; complain "Interrupted."; exit 130' INT TERM
    wait "$pid" || rc=$?
    trap - INT TERM
    { kill -- "-$beat" && wait "$beat"; } 2>/dev/null
    if [ "$rc" -ne 0 ]; then
        complain "$what failed (exit $rc). It printed:"
        cat "$log" >&2
    elif [ $((SECONDS - started)) -ge 2 ]; then
        say "  done in $((SECONDS - started)) s"
    fi
    rm -f "$log"
    return "$rc"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        complain "This needs root, and there is no sudo: $*"
        return 1
    fi
}

missing_packages=
want_package() { missing_packages="$missing_packages $1"; }
want_program() { # PROGRAM PACKAGE...
    have "$1" || { shift; want_package "$*"; }
}
want_library() { # PKG-CONFIG-NAME PACKAGE
    have pkg-config && pkg-config --exists "$1" 2>/dev/null || want_package "$2"
}
want_header() { # HEADER PACKAGE
    have cc && printf '#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1 || want_package "$2"
}

# clang and what its fuzz targets are linked with.
want_fuzzer() {
    local out
    out=$(mktemp) || return 1
    printf 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n == 1; }\n' |
        clang -fsanitize=fuzzer,address -x c - -o "$out" >/dev/null 2>&1 || want_package "clang libclang-rt-dev"
    rm -f "$out"
}

want_build_tools() {
    want_program cmake cmake
    want_program ninja ninja-build
    want_program cc gcc libc6-dev
    want_header stdlib.h libc6-dev
    want_program pkg-config pkgconf
    want_library libcjson libcjson-dev
    want_header ltdl.h libltdl-dev
    want_library libmd libmd-dev
    want_library libuv libuv1-dev
    want_library libxxhash libxxhash-dev
}

node_major() { # NODE
    "$1" -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0
}

want_node() {
    if ! have node || [ "$(node_major node)" -lt "$node_minimum" ]; then
        want_package nodejs ca-certificates
    fi
}

want_npm() {
    want_node
    want_program npm npm ca-certificates
}

# Installs what the want_ functions found missing.
install_missing() {
    missing_packages=$(printf '%s\n' $missing_packages | sort -u | tr '\n' ' ')
    missing_packages=${missing_packages# }
    missing_packages=${missing_packages% }
    [ -n "$missing_packages" ] || return 0
    if ! have apt-get; then
        complain "Missing: $missing_packages (names of Debian packages). Install them and start again."
        return 1
    fi
    if [ "$(id -u)" -ne 0 ] && have sudo && ! sudo -n true 2>/dev/null; then
        say "Debian packages are missing: $missing_packages"
        sudo -v || { complain "Without sudo they must be installed by hand."; return 1; }
    fi
    step "Reading the list of Debian packages" apt_get update || return 1
    step "Installing Debian packages: $missing_packages" apt_get install --no-install-recommends $missing_packages ||
        return 1
    missing_packages=
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 "$@"
}

# "x64" or "arm64", as the names of npm packages have it.
npm_arch() {
    case $(uname -m) in
    x86_64 | amd64) echo x64 ;;
    aarch64 | arm64) echo arm64 ;;
    *)
        complain "There is no Claude Code for a machine of the type $(uname -m)."
        return 1
        ;;
    esac
}

# A folder that holds exactly what a package.json asks for. Two callers at once wait for each other.
npm_folder() { # WHAT FOLDER PACKAGE.JSON-TEXT
    local what=$1 folder=$2 text=$3
    [ "$(cat "$folder/installed" 2>/dev/null)" = "$text" ] && return 0
    mkdir -p "$folder" || return 1
    (
        if have flock; then flock 9; fi
        [ "$(cat "$folder/installed" 2>/dev/null)" = "$text" ] && exit 0
        rm -rf "$folder/node_modules" "$folder/installed"
        printf '%s\n' "$text" >"$folder/package.json"
        step "$what" npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --no-package-lock ||
            exit 1
        printf '%s\n' "$text" >"$folder/installed"
    ) 9>"$folder/lock"
}

# The Claude Code CLI in the version that the tests are written for; sets `claude`.
install_claude() {
    local arch package folder
    arch=$(npm_arch) || return 1
    package=@anthropic-ai/claude-code-linux-$arch
    folder=$tools_cache/claude-$claude_version
    npm_folder "Installing Claude Code $claude_version (package $package, some 400 MB on the disk)" "$folder" \
        "{\"private\": true, \"dependencies\": {\"$package\": \"$claude_version\"}}" || return 1
    claude=$folder/node_modules/$package/claude
    [ -x "$claude" ] || chmod +x "$claude"
}

# A Node.js that the tests' packages accept (22.13 or newer); sets `node`.
install_node() {
    local arch package folder
    node=$(command -v node)
    if "$node" -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 13) ? 0 : 1)'; then
        return 0
    fi
    arch=$(npm_arch) || return 1
    package=node-linux-$arch
    folder=$tools_cache/node-$node_version
    npm_folder "Installing Node.js $node_version (package $package)" "$folder" \
        "{\"private\": true, \"dependencies\": {\"$package\": \"$node_version\"}}" || return 1
    node=$folder/node_modules/$package/bin/node
    [ -x "$node" ] || chmod +x "$node"
}

# The clients and the protocol's schema that the integration tests use; sets `test_packages`.
install_test_packages() { # PACKAGE.JSON
    test_packages=$tools_cache/test-packages
    npm_folder "Installing the tests' npm packages" "$test_packages" "$(cat "$1")"
}
