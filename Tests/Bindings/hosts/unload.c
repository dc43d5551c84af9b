/* Loads libclickstream with dlopen, opens and closes a client, and calls dlclose, 100 times. Tests/Bindings/hosts/run runs it.
 *
 * usage: unload LIBRARY STORE
 */
#include <clickstream.h>

#include <dlfcn.h>
#include <stdio.h>

#define LOAD(name) __typeof__(&name) name##_; *(void **)&name##_ = dlsym(library, #name)

int main(int count, char **arguments) {
    if (count != 3) return 64;
    for (int round = 0; round < 100; round++) {
        void *library = dlopen(arguments[1], RTLD_NOW);
        if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
        LOAD(clickstream_configuration_create);
        LOAD(clickstream_configuration_release);
        LOAD(clickstream_configuration_set_string);
        LOAD(clickstream_open);
        LOAD(clickstream_record);
        LOAD(clickstream_close);
        clickstream_configuration *settings = clickstream_configuration_create_();
        clickstream_client *client = NULL;
        char message[1024] = "";
        if (clickstream_configuration_set_string_(settings, "storageDirectory", arguments[2])
            || clickstream_configuration_set_string_(settings, "appId", "unload")
            || clickstream_open_(settings, &client, message, sizeof message)
            || clickstream_configuration_release_(settings)
            || clickstream_record_(client, "tap", NULL, NULL, 0)
            || clickstream_close_(client, 0, NULL)
            || dlclose(library)) {
            return fprintf(stderr, "round %d fails: %s\n", round, message), 1;
        }
    }
    return 0;
}
