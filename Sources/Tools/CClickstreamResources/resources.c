// Files embedded at compile time. `#embed` compiles as fast as a copy; the same bytes as a Swift literal take ten seconds.

#include "CClickstreamResources.h"

#include <string.h>

// Standard in C23, an extension of clang before.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../../Inspector/index.html"
};

static const unsigned char style[] = {
#embed "../../../Inspector/inspector.css"
};

static const unsigned char loader[] = {
#embed "../../../Inspector/Loader.js"
};

// Modules by name, each a text that ends with NUL.
static const struct {
    const char *name;
    const unsigned char *text;
} modules[] = {
    {"Address.js", (const unsigned char[]){
#embed "../../../Inspector/Address.js" suffix(, 0)
    }},
    {"Arrivals.js", (const unsigned char[]){
#embed "../../../Inspector/Arrivals.js" suffix(, 0)
    }},
    {"Audit.js", (const unsigned char[]){
#embed "../../../Inspector/Audit.js" suffix(, 0)
    }},
    {"AuditEvent.js", (const unsigned char[]){
#embed "../../../Inspector/AuditEvent.js" suffix(, 0)
    }},
    {"AuditPanel.js", (const unsigned char[]){
#embed "../../../Inspector/AuditPanel.js" suffix(, 0)
    }},
    {"BundleOrder.js", (const unsigned char[]){
#embed "../../../Inspector/BundleOrder.js" suffix(, 0)
    }},
    {"Captured.js", (const unsigned char[]){
#embed "../../../Inspector/Captured.js" suffix(, 0)
    }},
    {"CapturedEvent.js", (const unsigned char[]){
#embed "../../../Inspector/CapturedEvent.js" suffix(, 0)
    }},
    {"CapturedFormat.js", (const unsigned char[]){
#embed "../../../Inspector/CapturedFormat.js" suffix(, 0)
    }},
    {"CapturedPage.js", (const unsigned char[]){
#embed "../../../Inspector/CapturedPage.js" suffix(, 0)
    }},
    {"CapturedSessions.js", (const unsigned char[]){
#embed "../../../Inspector/CapturedSessions.js" suffix(, 0)
    }},
    {"Collector.js", (const unsigned char[]){
#embed "../../../Inspector/Collector.js" suffix(, 0)
    }},
    {"Comparison.js", (const unsigned char[]){
#embed "../../../Inspector/Comparison.js" suffix(, 0)
    }},
    {"Condition.js", (const unsigned char[]){
#embed "../../../Inspector/Condition.js" suffix(, 0)
    }},
    {"Contentsquare.js", (const unsigned char[]){
#embed "../../../Inspector/Contentsquare.js" suffix(, 0)
    }},
    {"Controls.js", (const unsigned char[]){
#embed "../../../Inspector/Controls.js" suffix(, 0)
    }},
    {"CopyAs.js", (const unsigned char[]){
#embed "../../../Inspector/CopyAs.js" suffix(, 0)
    }},
    {"CopyForms.js", (const unsigned char[]){
#embed "../../../Inspector/CopyForms.js" suffix(, 0)
    }},
    {"CountTable.js", (const unsigned char[]){
#embed "../../../Inspector/CountTable.js" suffix(, 0)
    }},
    {"Counters.js", (const unsigned char[]){
#embed "../../../Inspector/Counters.js" suffix(, 0)
    }},
    {"Crash.js", (const unsigned char[]){
#embed "../../../Inspector/Crash.js" suffix(, 0)
    }},
    {"Crashes.js", (const unsigned char[]){
#embed "../../../Inspector/Crashes.js" suffix(, 0)
    }},
    {"Dialogs.js", (const unsigned char[]){
#embed "../../../Inspector/Dialogs.js" suffix(, 0)
    }},
    {"DroppedFile.js", (const unsigned char[]){
#embed "../../../Inspector/DroppedFile.js" suffix(, 0)
    }},
    {"Element.js", (const unsigned char[]){
#embed "../../../Inspector/Element.js" suffix(, 0)
    }},
    {"Event.js", (const unsigned char[]){
#embed "../../../Inspector/Event.js" suffix(, 0)
    }},
    {"EventColumns.js", (const unsigned char[]){
#embed "../../../Inspector/EventColumns.js" suffix(, 0)
    }},
    {"EventPanel.js", (const unsigned char[]){
#embed "../../../Inspector/EventPanel.js" suffix(, 0)
    }},
    {"EventTables.js", (const unsigned char[]){
#embed "../../../Inspector/EventTables.js" suffix(, 0)
    }},
    {"Events.js", (const unsigned char[]){
#embed "../../../Inspector/Events.js" suffix(, 0)
    }},
    {"Examined.js", (const unsigned char[]){
#embed "../../../Inspector/Examined.js" suffix(, 0)
    }},
    {"Explore.js", (const unsigned char[]){
#embed "../../../Inspector/Explore.js" suffix(, 0)
    }},
    {"Export.js", (const unsigned char[]){
#embed "../../../Inspector/Export.js" suffix(, 0)
    }},
    {"Facts.js", (const unsigned char[]){
#embed "../../../Inspector/Facts.js" suffix(, 0)
    }},
    {"Feed.js", (const unsigned char[]){
#embed "../../../Inspector/Feed.js" suffix(, 0)
    }},
    {"Filter.js", (const unsigned char[]){
#embed "../../../Inspector/Filter.js" suffix(, 0)
    }},
    {"FunnelSteps.js", (const unsigned char[]){
#embed "../../../Inspector/FunnelSteps.js" suffix(, 0)
    }},
    {"FunnelTable.js", (const unsigned char[]){
#embed "../../../Inspector/FunnelTable.js" suffix(, 0)
    }},
    {"Groups.js", (const unsigned char[]){
#embed "../../../Inspector/Groups.js" suffix(, 0)
    }},
    {"Histogram.js", (const unsigned char[]){
#embed "../../../Inspector/Histogram.js" suffix(, 0)
    }},
    {"Inspector.js", (const unsigned char[]){
#embed "../../../Inspector/Inspector.js" suffix(, 0)
    }},
    {"Intake.js", (const unsigned char[]){
#embed "../../../Inspector/Intake.js" suffix(, 0)
    }},
    {"JSONText.js", (const unsigned char[]){
#embed "../../../Inspector/JSONText.js" suffix(, 0)
    }},
    {"KeyedRows.js", (const unsigned char[]){
#embed "../../../Inspector/KeyedRows.js" suffix(, 0)
    }},
    {"Page.js", (const unsigned char[]){
#embed "../../../Inspector/Page.js" suffix(, 0)
    }},
    {"PageOutline.js", (const unsigned char[]){
#embed "../../../Inspector/PageOutline.js" suffix(, 0)
    }},
    {"Panel.js", (const unsigned char[]){
#embed "../../../Inspector/Panel.js" suffix(, 0)
    }},
    {"Parts.js", (const unsigned char[]){
#embed "../../../Inspector/Parts.js" suffix(, 0)
    }},
    {"Person.js", (const unsigned char[]){
#embed "../../../Inspector/Person.js" suffix(, 0)
    }},
    {"PersonHistory.js", (const unsigned char[]){
#embed "../../../Inspector/PersonHistory.js" suffix(, 0)
    }},
    {"PersonLink.js", (const unsigned char[]){
#embed "../../../Inspector/PersonLink.js" suffix(, 0)
    }},
    {"PersonSummary.js", (const unsigned char[]){
#embed "../../../Inspector/PersonSummary.js" suffix(, 0)
    }},
    {"Plan.js", (const unsigned char[]){
#embed "../../../Inspector/Plan.js" suffix(, 0)
    }},
    {"PlanPanel.js", (const unsigned char[]){
#embed "../../../Inspector/PlanPanel.js" suffix(, 0)
    }},
    {"Popover.js", (const unsigned char[]){
#embed "../../../Inspector/Popover.js" suffix(, 0)
    }},
    {"Pulse.js", (const unsigned char[]){
#embed "../../../Inspector/Pulse.js" suffix(, 0)
    }},
    {"Question.js", (const unsigned char[]){
#embed "../../../Inspector/Question.js" suffix(, 0)
    }},
    {"Quoting.js", (const unsigned char[]){
#embed "../../../Inspector/Quoting.js" suffix(, 0)
    }},
    {"RecordedCall.js", (const unsigned char[]){
#embed "../../../Inspector/RecordedCall.js" suffix(, 0)
    }},
    {"ReportCommand.js", (const unsigned char[]){
#embed "../../../Inspector/ReportCommand.js" suffix(, 0)
    }},
    {"ReportValues.js", (const unsigned char[]){
#embed "../../../Inspector/ReportValues.js" suffix(, 0)
    }},
    {"RequestPanel.js", (const unsigned char[]){
#embed "../../../Inspector/RequestPanel.js" suffix(, 0)
    }},
    {"Requests.js", (const unsigned char[]){
#embed "../../../Inspector/Requests.js" suffix(, 0)
    }},
    {"Retention.js", (const unsigned char[]){
#embed "../../../Inspector/Retention.js" suffix(, 0)
    }},
    {"RovingFocus.js", (const unsigned char[]){
#embed "../../../Inspector/RovingFocus.js" suffix(, 0)
    }},
    {"Saved.js", (const unsigned char[]){
#embed "../../../Inspector/Saved.js" suffix(, 0)
    }},
    {"SavedAnswers.js", (const unsigned char[]){
#embed "../../../Inspector/SavedAnswers.js" suffix(, 0)
    }},
    {"SavedEvents.js", (const unsigned char[]){
#embed "../../../Inspector/SavedEvents.js" suffix(, 0)
    }},
    {"SavedFile.js", (const unsigned char[]){
#embed "../../../Inspector/SavedFile.js" suffix(, 0)
    }},
    {"SavedReports.js", (const unsigned char[]){
#embed "../../../Inspector/SavedReports.js" suffix(, 0)
    }},
    {"ScreenFlow.js", (const unsigned char[]){
#embed "../../../Inspector/ScreenFlow.js" suffix(, 0)
    }},
    {"Screens.js", (const unsigned char[]){
#embed "../../../Inspector/Screens.js" suffix(, 0)
    }},
    {"Sessions.js", (const unsigned char[]){
#embed "../../../Inspector/Sessions.js" suffix(, 0)
    }},
    {"ShowAll.js", (const unsigned char[]){
#embed "../../../Inspector/ShowAll.js" suffix(, 0)
    }},
    {"SortedEvents.js", (const unsigned char[]){
#embed "../../../Inspector/SortedEvents.js" suffix(, 0)
    }},
    {"Start.js", (const unsigned char[]){
#embed "../../../Inspector/Start.js" suffix(, 0)
    }},
    {"TargetTree.js", (const unsigned char[]){
#embed "../../../Inspector/TargetTree.js" suffix(, 0)
    }},
    {"Timeline.js", (const unsigned char[]){
#embed "../../../Inspector/Timeline.js" suffix(, 0)
    }},
    {"View.js", (const unsigned char[]){
#embed "../../../Inspector/View.js" suffix(, 0)
    }},
    {"VirtualList.js", (const unsigned char[]){
#embed "../../../Inspector/VirtualList.js" suffix(, 0)
    }},
    {"Watch.js", (const unsigned char[]){
#embed "../../../Inspector/Watch.js" suffix(, 0)
    }},
    {"Words.js", (const unsigned char[]){
#embed "../../../Inspector/Words.js" suffix(, 0)
    }},
};

static const unsigned char openapi[] = {
#embed "../ClickstreamCollector/Server/openapi.json"
};

clickstream_resource clickstream_inspector_document(void) {
    return (clickstream_resource){document, sizeof document};
}

clickstream_resource clickstream_inspector_style(void) {
    return (clickstream_resource){style, sizeof style};
}

clickstream_resource clickstream_inspector_loader(void) {
    return (clickstream_resource){loader, sizeof loader};
}

size_t clickstream_inspector_modules(void) {
    return sizeof modules / sizeof modules[0];
}

const char *clickstream_inspector_module_name(size_t index) {
    return modules[index].name;
}

clickstream_resource clickstream_inspector_module(size_t index) {
    return (clickstream_resource){modules[index].text, strlen((const char *)modules[index].text)};
}

clickstream_resource clickstream_openapi(void) {
    return (clickstream_resource){openapi, sizeof openapi};
}
