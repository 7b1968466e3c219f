# Building Herald in a folder of its own; to be sourced by bash after install.sh.

# Configures and builds.
build_herald() { # WHAT SOURCE FOLDER CMAKE-OPTIONS...
    local what=$1 source=$2 folder=$3
    shift 3
    if have ccache; then set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache; fi
    step "$what" configure_and_build "$source" "$folder" "$@"
}

configure_and_build() {
    local source=$1 folder=$2
    shift 2
    cmake -S "$source" -B "$folder" -G Ninja "$@" && cmake --build "$folder"
}
