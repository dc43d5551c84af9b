# Sourced by .ci/build and .ci/test: the settings of all builds in .build. A build with other settings compiles everything again.
#
# -gnone, -index-ignore-system-modules: without debug information and without an index of system modules a build takes two thirds
# of the processor time. SwiftPM finds the tests by the index of their targets.
# --traits: the commands collect and audit. Not if the arguments name traits.
# CLICKSTREAM_OPTIMIZED: the tests take two thirds of the processor time if the core is optimized; it keeps its assertions. Not
# with counted lines (.ci/coverage), nor with a sanitizer: optimized code writes the count of the runtime's shared empty array, which the
# thread sanitizer reports as a race.
# CLICKSTREAM_WITHOUT_PLUGIN: SwiftPM compiles the plugin's tool, with the core below it, a second time for the host.
flags=(-Xswiftc -gnone -Xswiftc -index-ignore-system-modules)
[[ " $* " == *" --traits "* ]] || flags+=(--traits Audit,Collector)
export CLICKSTREAM_WITHOUT_PLUGIN=1
[[ -n ${CLICKSTREAM_COVERAGE:-} || " $* " == *" --sanitize="* ]] || export CLICKSTREAM_OPTIMIZED=1
