-- Posts prepared bodies, each once: what is sent twice would be a duplicate and cost less. Every thread takes its share.
-- wrk ... -s load.lua URL -- BODIES-FILE THREADS [ACKNOWLEDGED-FILE]

local threads = 0

function setup(thread)
    thread:set("number", threads)
    threads = threads + 1
end

function init(args)
    local share = tonumber(args[2]) or 1
    bodies = {}
    local line = 0
    for body in io.lines(args[1]) do
        if line % share == number then bodies[#bodies + 1] = body end
        line = line + 1
    end
    place = 0
    if args[3] then
        -- Only then are answers looked at: it costs.
        local acknowledged = io.open(args[3] .. "." .. number, "w")
        response = function(status, headers, body)
            local id = headers["X-Request-ID"]
            if status == 200 and id then
                acknowledged:write(id, "\n")
                acknowledged:flush()
            end
        end
    end
end

function request()
    place = place + 1
    if place > #bodies then
        -- Nothing is left to send.
        return wrk.format("GET", "/ping")
    end
    local path = "/collect?platform=Linux&appId=shop&compression=gzip&event_bundle_sequence_id=" .. place
        .. "&hashCode=" .. bodies[place]:sub(1, 8)
    return wrk.format("POST", path, { ["Content-Type"] = "application/json; charset=utf-8" }, bodies[place]:sub(10))
end

function done(summary, latency, requests)
    io.write(string.format(
        '{"seconds": %.3f, "requests": %d, "errors": %d, "non_2xx": %d, "p50_ms": %.2f, "p99_ms": %.2f}\n',
        summary.duration / 1e6, summary.requests,
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
        summary.errors.status, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3
    ))
end
