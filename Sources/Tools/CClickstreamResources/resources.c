// Files embedded at compile time. `#embed` compiles as fast as a copy; the same bytes as a Swift literal take ten seconds.

#include "CClickstreamResources.h"

// Standard in C23, an extension of clang before.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../ClickstreamCollector/Inspector/Page/index.html"
};

static const unsigned char style[] = {
#embed "../ClickstreamCollector/Inspector/Page/inspector.css"
};

// One module in one scope. The last file starts the page, so its dependencies precede it.
static const unsigned char script[] = {
#embed "../ClickstreamCollector/Inspector/Page/Element.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Collector.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Words.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/JSONText.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Event.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Filter.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/VirtualList.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Feed.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Histogram.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/EventTables.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/EventPanel.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Comparison.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Sessions.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Timeline.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/ScreenFlow.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/BundleOrder.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Requests.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/CapturedEvent.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/CapturedSessions.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/PageOutline.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/TargetTree.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/CapturedPage.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/CapturedPanel.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Captured.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/AuditEvent.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/AuditPanel.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Audit.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/PlanPanel.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Plan.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Export.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Dialogs.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Start.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/States.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Address.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Controls.js"
    ,
#embed "../ClickstreamCollector/Inspector/Page/Inspector.js"
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
