// Driver calls that gorgonia.org/cu lacks, or must not make. They are looked up in the
// library that cu links, so its headers are not needed.
#include <stddef.h>

int sorter_init_result(void);
int sorter_host_alloc(void **p, size_t bytes, unsigned flags);
int sorter_host_register(void *p, size_t bytes, unsigned flags);
int sorter_host_unregister(void *p);
int sorter_function_set(void *f, int attribute, int value);
