// Files embedded at compile time. `#embed` compiles as fast as a copy; the same bytes as a Swift literal take ten seconds.

#include "CClickstreamResources.h"

// Standard in C23, an extension of clang before.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../../Inspector/index.html"
};

static const unsigned char style[] = {
#embed "../../../Inspector/inspector.css"
};

// One module in one scope. The last file starts the page, so its dependencies precede it.
static const unsigned char script[] = {
#embed "../../../Inspector/Element.js"
    ,
#embed "../../../Inspector/Collector.js"
    ,
#embed "../../../Inspector/Words.js"
    ,
#embed "../../../Inspector/JSONText.js"
    ,
#embed "../../../Inspector/Event.js"
    ,
#embed "../../../Inspector/Filter.js"
    ,
#embed "../../../Inspector/VirtualList.js"
    ,
#embed "../../../Inspector/Feed.js"
    ,
#embed "../../../Inspector/Histogram.js"
    ,
#embed "../../../Inspector/EventTables.js"
    ,
#embed "../../../Inspector/EventPanel.js"
    ,
#embed "../../../Inspector/Comparison.js"
    ,
#embed "../../../Inspector/Sessions.js"
    ,
#embed "../../../Inspector/Timeline.js"
    ,
#embed "../../../Inspector/ScreenFlow.js"
    ,
#embed "../../../Inspector/BundleOrder.js"
    ,
#embed "../../../Inspector/Requests.js"
    ,
#embed "../../../Inspector/CapturedEvent.js"
    ,
#embed "../../../Inspector/CapturedFormat.js"
    ,
#embed "../../../Inspector/Pulse.js"
    ,
#embed "../../../Inspector/Contentsquare.js"
    ,
#embed "../../../Inspector/CapturedSessions.js"
    ,
#embed "../../../Inspector/PageOutline.js"
    ,
#embed "../../../Inspector/TargetTree.js"
    ,
#embed "../../../Inspector/CapturedPage.js"
    ,
#embed "../../../Inspector/CapturedPanel.js"
    ,
#embed "../../../Inspector/Captured.js"
    ,
#embed "../../../Inspector/AuditEvent.js"
    ,
#embed "../../../Inspector/AuditPanel.js"
    ,
#embed "../../../Inspector/Audit.js"
    ,
#embed "../../../Inspector/PlanPanel.js"
    ,
#embed "../../../Inspector/Plan.js"
    ,
#embed "../../../Inspector/Export.js"
    ,
#embed "../../../Inspector/Dialogs.js"
    ,
#embed "../../../Inspector/Start.js"
    ,
#embed "../../../Inspector/States.js"
    ,
#embed "../../../Inspector/Address.js"
    ,
#embed "../../../Inspector/Controls.js"
    ,
#embed "../../../Inspector/Inspector.js"
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

clickstream_resource clickstream_inspector_script(void) {
    return (clickstream_resource){script, sizeof script};
}

clickstream_resource clickstream_openapi(void) {
    return (clickstream_resource){openapi, sizeof openapi};
}
