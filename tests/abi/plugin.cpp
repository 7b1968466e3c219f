/* A reporter in C++: the headers have to serve it without a warning too. */
#include <herald/reporter.h>
#include <herald/text.h>

namespace
{

herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_text t = herald_text_begin(h, facts);
    herald_text_add(&t, HERALD_STRING("C++ "));
    herald_text_add_integer(&t, 17);
    if (HERALD_HAS(h, set_file_change)) {
        h->set_kind(facts, HERALD_BOTH, HERALD_KIND_OTHER);
    }
    return h->set_title(facts, HERALD_BOTH, herald_text_end(&t));
}

const char *const tools[] = {"FromCxx", nullptr};

herald_reporter make_reporter()
{
    herald_reporter r{};
    r.struct_size = sizeof(r);
    r.name = "cxx";
    r.tools = tools;
    r.use = use;
    return r;
}

const herald_reporter reporter = make_reporter();
const herald_reporter *const reporters[] = {&reporter, nullptr};

} // namespace

extern "C" const herald_module herald_reporter_module =
    {HERALD_ABI_MAJOR, HERALD_ABI_MINOR, sizeof(herald_module), "org.example.cxx", "1", nullptr,
     nullptr,          reporters};
