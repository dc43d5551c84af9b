/* Main program of the manual's Objective-C snippets: program NUMBER. Prints the line of each event. */
#include <clickstream.h>

static void print_event(const clickstream_notice *notice, void *context) {
    (void)context;
    if (notice->kind != CLICKSTREAM_NOTICE_RECORDED) return;
    fwrite(notice->json, 1, notice->json_length, stdout);
    fputc('\n', stdout);
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    int number = atoi(arguments[1]);
    if (number < 1 || number > SNIPPETS) return 64;
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    clickstream_observe(clickstream_default_client(), print_event, NULL, NULL, NULL);
    /* These snippets initialize the SDK themselves. */
    if (number != 1 && number != 3 && number != 11) snippets[0]();
    snippets[number - 1]();
    [ClickstreamObjc recordEvent:@"after_the_snippet"];
    [ClickstreamObjc shutdownWithDeadline:0];
    [pool drain];
    fflush(stdout);
    return 0;
}
