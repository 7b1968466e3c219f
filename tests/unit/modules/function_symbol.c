/* Exports a function under the name of the module. */
__attribute__((visibility("default"))) int herald_reporter_module(void);
int herald_reporter_module(void)
{
    return 1;
}
