#if Tools
/// What is served, in the words of OpenAPI 3.1: what `/api/openapi.json` gives.
enum OpenAPI {
    static let description = #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "Clickstream collector",
            "version": "0.1.0",
            "description": "A local stand-in for the ingestion server: stores what apps send, judges and tells it.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
          },
          "servers": [{"url": "/"}],
          "paths": {
            "/collect": {
              "post": {
                "summary": "Takes events: the text of a JSON array, or base64 of its gzip",
                "description": "Any method is taken, as by the published server. --path chooses another path.",
                "parameters": [
                  {
                    "name": "platform",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "Where the app runs.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "appId",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "The app's id.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "compression",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "gzip, or empty; the body's content decides.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "event_bundle_sequence_id",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "The number of the request at its sender.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "upload_timestamp",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "The sender's clock, in milliseconds.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "hashCode",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "The first eight hexadecimal digits of the SHA-256 of the body.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "fakeIp",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "Where a load generator claims to be.",
                    "allowEmptyValue": true
                  }
                ],
                "requestBody": {
                  "required": false,
                  "content": {
                    "application/json": {
                      "schema": {"type": "array", "items": {"$ref": "#/components/schemas/AnyEvent"}}
                    },
                    "text/plain": {"schema": {"type": "string"}}
                  }
                },
                "responses": {
                  "200": {
                    "description": "Stored, readable or not.",
                    "headers": {"X-Request-ID": {"schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"}}},
                    "content": {"text/plain": {"schema": {"const": ""}}}
                  },
                  "400": {"description": "The request cannot be read as HTTP."},
                  "401": {
                    "description": "The cookie that was asked for is missing.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  },
                  "403": {
                    "description": "The app id is not one of those let in.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  },
                  "413": {
                    "description": "The body is over the limit as sent.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  },
                  "415": {
                    "description": "A Content-Encoding other than gzip.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  },
                  "500": {
                    "description": "The store cannot be written; send again.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  },
                  "503": {
                    "description": "Too much is coming in at once; send again after Retry-After.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  }
                }
              }
            },
            "/ping": {
              "get": {
                "summary": "Tells the time",
                "parameters": [
                  {
                    "name": "appId",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "The app's id: one of --app-id, where some are given.",
                    "allowEmptyValue": true
                  }
                ],
                "responses": {
                  "200": {
                    "description": "Seconds with milliseconds.",
                    "headers": {"X-Request-ID": {"schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"}}},
                    "content": {
                      "application/json": {
                        "schema": {
                          "type": "object",
                          "properties": {"timestamp": {"type": "number"}},
                          "required": ["timestamp"]
                        }
                      }
                    }
                  },
                  "400": {"description": "The request cannot be read as HTTP."},
                  "403": {
                    "description": "The name under which the collector was asked is not its own, or the app id is unknown.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/health": {
              "get": {
                "summary": "Says that it is well",
                "responses": {
                  "200": {
                    "description": "It is.",
                    "content": {
                      "application/json": {
                        "schema": {"type": "object", "properties": {"ok": {"const": true}}, "required": ["ok"]}
                      }
                    }
                  },
                  "400": {"description": "The request cannot be read as HTTP."},
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/metrics": {
              "get": {
                "summary": "Counters and gauges in Prometheus' text format 0.0.4",
                "responses": {
                  "200": {
                    "description": "Counted since the start of the process.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  },
                  "400": {"description": "The request cannot be read as HTTP."},
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "405": {
                    "description": "It is read with GET.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/": {
              "get": {
                "summary": "The inspector page",
                "responses": {
                  "200": {
                    "description": "One page that needs nothing else.",
                    "content": {"text/html": {"schema": {"type": "string"}}}
                  },
                  "400": {"description": "The request cannot be read as HTTP."},
                  "403": {"description": "The name under which the collector was asked is not its own."}
                }
              }
            },
            "/api/openapi.json": {
              "get": {
                "summary": "This description",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/api/summary": {
              "get": {
                "summary": "Counts what came",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Summary"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/api/events": {
              "get": {
                "summary": "Events in the order of arrival",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {
                      "application/json": {
                        "schema": {
                          "type": "object",
                          "properties": {
                            "events": {"type": "array", "items": {"$ref": "#/components/schemas/Event"}},
                            "next": {
                              "type": ["string", "null"],
                              "pattern": "^[0-9]+$",
                              "description": "The cursor of the following page."
                            }
                          },
                          "required": ["events", "next"]
                        }
                      }
                    }
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                },
                "parameters": [
                  {
                    "name": "name",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "The event's name.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "session",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "The session id.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "user",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "A user id or a unique id.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "status",
                    "in": "query",
                    "required": false,
                    "schema": {"enum": ["good", "bad", ""]},
                    "description": "Good or bad.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "code",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "A violation's code, such as 2003 or etl_future.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "since",
                    "in": "query",
                    "required": false,
                    "schema": {
                      "anyOf": [
                        {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
                        {"type": "string", "format": "date"},
                        {"type": "string", "format": "date-time"}
                      ]
                    },
                    "description": "Received since: milliseconds since 1970, or an ISO 8601 date.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "limit",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 1, "maximum": 9007199254740991, "default": 100},
                    "description": "The most rows of an answer; 10000 are given at most.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "cursor",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
                    "description": "What an earlier answer gave as next.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "event_bytes",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
                    "description": "An event with more bytes comes as an excerpt, with cut and event_bytes.",
                    "allowEmptyValue": true
                  }
                ]
              }
            },
            "/api/events/{seq}": {
              "get": {
                "summary": "One event, whole",
                "responses": {
                  "200": {
                    "description": "The event.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Event"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "404": {
                    "description": "No event has this number.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                },
                "parameters": [
                  {
                    "name": "seq",
                    "in": "path",
                    "required": true,
                    "schema": {"type": "string"},
                    "description": "The seq of a list's element."
                  },
                  {
                    "name": "event_bytes",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
                    "description": "An event with more bytes comes as an excerpt, with cut and event_bytes.",
                    "allowEmptyValue": true
                  }
                ]
              }
            },
            "/api/requests": {
              "get": {
                "summary": "Requests in the order of arrival, without their bodies",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {
                      "application/json": {
                        "schema": {
                          "type": "object",
                          "properties": {
                            "requests": {"type": "array", "items": {"$ref": "#/components/schemas/Request"}},
                            "next": {
                              "type": ["string", "null"],
                              "pattern": "^[0-9]+$",
                              "description": "The cursor of the following page."
                            }
                          },
                          "required": ["requests", "next"]
                        }
                      }
                    }
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                },
                "parameters": [
                  {
                    "name": "limit",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 1, "maximum": 9007199254740991, "default": 100},
                    "description": "The most rows of an answer; 10000 are given at most.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "cursor",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
                    "description": "What an earlier answer gave as next.",
                    "allowEmptyValue": true
                  }
                ]
              }
            },
            "/api/requests/{id}": {
              "get": {
                "summary": "One request with its body",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Request"}}}
                  },
                  "404": {
                    "description": "No request has this id.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                },
                "parameters": [
                  {
                    "name": "id",
                    "in": "path",
                    "required": true,
                    "schema": {"type": "string", "minLength": 1},
                    "description": "What X-Request-ID answered."
                  },
                  {
                    "name": "data_bytes",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
                    "description": "A body with more bytes is cut, with data_cut and data_bytes.",
                    "allowEmptyValue": true
                  }
                ]
              }
            },
            "/api/sessions": {
              "get": {
                "summary": "Sessions in the order in which their first events arrived",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {
                      "application/json": {
                        "schema": {
                          "type": "object",
                          "properties": {
                            "sessions": {"type": "array", "items": {"$ref": "#/components/schemas/Session"}},
                            "next": {
                              "type": ["string", "null"],
                              "pattern": "^[0-9]+$",
                              "description": "The cursor of the following page."
                            }
                          },
                          "required": ["sessions", "next"]
                        }
                      }
                    }
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                },
                "parameters": [
                  {
                    "name": "limit",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 1, "maximum": 9007199254740991, "default": 100},
                    "description": "The most rows of an answer; 10000 are given at most.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "cursor",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
                    "description": "What an earlier answer gave as next.",
                    "allowEmptyValue": true
                  }
                ]
              }
            },
            "/api/sessions/{id}": {
              "get": {
                "summary": "One session with its timeline",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {
                      "application/json": {
                        "schema": {
                          "allOf": [
                            {"$ref": "#/components/schemas/Session"},
                            {
                              "type": "object",
                              "properties": {
                                "timeline": {
                                  "type": "array",
                                  "items": {"$ref": "#/components/schemas/TimelineEntry"}
                                }
                              },
                              "required": ["timeline"]
                            }
                          ]
                        }
                      }
                    }
                  },
                  "404": {
                    "description": "No event of this session has come.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                },
                "parameters": [
                  {
                    "name": "id",
                    "in": "path",
                    "required": true,
                    "schema": {"type": "string", "minLength": 1},
                    "description": "The session's id."
                  },
                  {
                    "name": "app_id",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "Where two apps share an id.",
                    "allowEmptyValue": true
                  }
                ]
              }
            },
            "/api/stream": {
              "get": {
                "summary": "What comes, as server-sent events without an end",
                "responses": {
                  "200": {
                    "description": "Frames event, request and reset; the id of each is where to go on.",
                    "content": {"text/event-stream": {"schema": {"type": "string"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                },
                "parameters": [
                  {
                    "name": "name",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "The event's name.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "session",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "The session id.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "user",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "A user id or a unique id.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "status",
                    "in": "query",
                    "required": false,
                    "schema": {"enum": ["good", "bad", ""]},
                    "description": "Good or bad.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "code",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "string"},
                    "description": "A violation's code, such as 2003 or etl_future.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "since",
                    "in": "query",
                    "required": false,
                    "schema": {
                      "anyOf": [
                        {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
                        {"type": "string", "format": "date"},
                        {"type": "string", "format": "date-time"}
                      ]
                    },
                    "description": "Received since: milliseconds since 1970, or an ISO 8601 date.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "last_event_id",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
                    "description": "Where to go on.",
                    "allowEmptyValue": true
                  },
                  {
                    "name": "Last-Event-ID",
                    "in": "header",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
                    "description": "Where to go on; before the query's."
                  },
                  {
                    "name": "event_bytes",
                    "in": "query",
                    "required": false,
                    "schema": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
                    "description": "An event with more bytes comes as an excerpt, with cut and event_bytes.",
                    "allowEmptyValue": true
                  }
                ]
              }
            },
            "/api/reset": {
              "post": {
                "summary": "Empties the store",
                "responses": {
                  "200": {
                    "description": "What is left: nothing.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Summary"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own, or the body is over 64 KiB.",
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/Error"}},
                      "text/plain": {"schema": {"type": "string"}}
                    }
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/api/faults": {
              "get": {
                "summary": "What goes wrong on purpose",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Faults"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              },
              "post": {
                "summary": "Replaces what goes wrong on purpose; an empty list ends it",
                "requestBody": {
                  "required": true,
                  "content": {
                    "application/json": {
                      "schema": {
                        "anyOf": [
                          {"$ref": "#/components/schemas/Fault"},
                          {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}},
                          {
                            "type": "object",
                            "additionalProperties": false,
                            "properties": {
                              "faults": {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}}
                            },
                            "required": ["faults"]
                          }
                        ]
                      }
                    }
                  }
                },
                "responses": {
                  "200": {
                    "description": "What goes wrong from now on.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Faults"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own, or the body is over 64 KiB.",
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/Error"}},
                      "text/plain": {"schema": {"type": "string"}}
                    }
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/micro/all": {
              "get": {
                "summary": "Counts, as Snowplow Micro tells them",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/MicroSummary"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              },
              "post": {
                "summary": "The same",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/MicroSummary"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own, or the body is over 64 KiB.",
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/Error"}},
                      "text/plain": {"schema": {"type": "string"}}
                    }
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/micro/good": {
              "get": {
                "summary": "Good events, newest first",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {
                      "application/json": {
                        "schema": {"type": "array", "items": {"$ref": "#/components/schemas/MicroGood"}}
                      }
                    }
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              },
              "post": {
                "summary": "Good events, newest first, chosen by a filter",
                "requestBody": {
                  "required": false,
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object",
                        "properties": {
                          "event_type": {"type": ["string", "null"]},
                          "schema": {"type": ["string", "null"]},
                          "contexts": {"type": ["array", "null"], "items": {"type": "string"}},
                          "vendor": {"type": ["string", "null"]},
                          "version": {"type": ["string", "null"]},
                          "limit": {"type": ["integer", "null"], "minimum": 0}
                        },
                        "additionalProperties": false
                      }
                    }
                  }
                },
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {
                      "application/json": {
                        "schema": {"type": "array", "items": {"$ref": "#/components/schemas/MicroGood"}}
                      }
                    }
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own, or the body is over 64 KiB.",
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/Error"}},
                      "text/plain": {"schema": {"type": "string"}}
                    }
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/micro/bad": {
              "get": {
                "summary": "Bad events and unreadable requests, newest first",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {
                      "application/json": {
                        "schema": {"type": "array", "items": {"$ref": "#/components/schemas/MicroBad"}}
                      }
                    }
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              },
              "post": {
                "summary": "Bad events and unreadable requests, newest first, chosen by a filter",
                "requestBody": {
                  "required": false,
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object",
                        "properties": {
                          "event_type": {"type": ["string", "null"]},
                          "schema": {"type": ["string", "null"]},
                          "contexts": {"type": ["array", "null"], "items": {"type": "string"}},
                          "vendor": {"type": ["string", "null"]},
                          "version": {"type": ["string", "null"]},
                          "limit": {"type": ["integer", "null"], "minimum": 0}
                        },
                        "additionalProperties": false
                      }
                    }
                  }
                },
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {
                      "application/json": {
                        "schema": {"type": "array", "items": {"$ref": "#/components/schemas/MicroBad"}}
                      }
                    }
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own, or the body is over 64 KiB.",
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/Error"}},
                      "text/plain": {"schema": {"type": "string"}}
                    }
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/micro/events": {
              "get": {
                "summary": "All events as they were sent, newest first",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {"application/json": {"schema": {"type": "array"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              },
              "post": {
                "summary": "All events as they were sent, newest first, chosen by a filter",
                "requestBody": {
                  "required": false,
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object",
                        "properties": {
                          "event_type": {"type": ["string", "null"]},
                          "schema": {"type": ["string", "null"]},
                          "contexts": {"type": ["array", "null"], "items": {"type": "string"}},
                          "vendor": {"type": ["string", "null"]},
                          "version": {"type": ["string", "null"]},
                          "limit": {"type": ["integer", "null"], "minimum": 0}
                        },
                        "additionalProperties": false
                      }
                    }
                  }
                },
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {"application/json": {"schema": {"type": "array"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own, or the body is over 64 KiB.",
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/Error"}},
                      "text/plain": {"schema": {"type": "string"}}
                    }
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/micro/reset": {
              "get": {
                "summary": "Empties the store",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/MicroSummary"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              },
              "post": {
                "summary": "Empties the store",
                "responses": {
                  "200": {
                    "description": "What was asked for.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/MicroSummary"}}}
                  },
                  "403": {
                    "description": "The name under which the collector was asked is not its own, or the body is over 64 KiB.",
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/Error"}},
                      "text/plain": {"schema": {"type": "string"}}
                    }
                  },
                  "400": {
                    "description": "The question has a mistake, or the request cannot be read as HTTP.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
                  "500": {
                    "description": "The store failed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            }
          },
          "components": {
            "schemas": {
              "Error": {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]},
              "Summary": {
                "type": "object",
                "properties": {
                  "requests": {"type": "integer", "minimum": 0},
                  "bad_requests": {"type": "integer", "minimum": 0},
                  "events": {"type": "integer", "minimum": 0},
                  "good_events": {"type": "integer", "minimum": 0},
                  "bad_events": {"type": "integer", "minimum": 0},
                  "duplicates": {"type": "integer", "minimum": 0},
                  "sessions": {"type": "integer", "minimum": 0},
                  "users": {"type": "integer", "minimum": 0}
                },
                "required": [
                  "requests",
                  "bad_requests",
                  "events",
                  "good_events",
                  "bad_events",
                  "duplicates",
                  "sessions",
                  "users"
                ]
              },
              "AnyEvent": {
                "type": "object",
                "properties": {
                  "event_id": {"type": "string"},
                  "event_type": {"type": "string"},
                  "app_id": {"type": "string"},
                  "timestamp": {"type": "integer"},
                  "unique_id": {"type": "string"},
                  "attributes": {"type": "object"},
                  "items": {"type": "array"},
                  "user": {"type": "object"}
                }
              },
              "Violation": {
                "type": "object",
                "properties": {
                  "code": {"type": ["integer", "string"]},
                  "severity": {"enum": ["error", "warning"]},
                  "subject": {"type": "string"},
                  "name": {"type": "string"},
                  "message": {"type": "string"}
                },
                "required": ["code", "severity", "subject", "name", "message"]
              },
              "Event": {
                "type": "object",
                "properties": {
                  "event": {"description": "The event as it was sent: an object, unless it is bad."},
                  "status": {"enum": ["good", "bad"]},
                  "violations": {"type": "array", "items": {"$ref": "#/components/schemas/Violation"}},
                  "unlisted_violations": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Number of findings that violations does not list one by one."
                  },
                  "request_id": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
                  "seq": {"type": "integer", "minimum": 1, "description": "Its place in the order of arrival."},
                  "cut": {"const": true, "description": "The event is an excerpt: /api/events/{seq} gives all of it."},
                  "event_bytes": {"type": "integer", "description": "Bytes of the whole event, of one that is cut."},
                  "received_at": {"type": "integer"}
                },
                "required": [
                  "event",
                  "status",
                  "violations",
                  "unlisted_violations",
                  "request_id",
                  "seq",
                  "received_at"
                ]
              },
              "Request": {
                "type": "object",
                "properties": {
                  "date": {"type": "string"},
                  "uri": {"type": "string"},
                  "ua": {"type": ["string", "null"]},
                  "ip": {"type": ["string", "null"]},
                  "rid": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
                  "method": {"type": "string"},
                  "appId": {"type": ["string", "null"]},
                  "platform": {"type": ["string", "null"]},
                  "compression": {"type": ["string", "null"]},
                  "fakeIp": {"type": ["string", "null"]},
                  "path": {"type": "string"},
                  "timestamp": {"type": "string"},
                  "client_timestamp": {"type": "string"},
                  "ingest_time": {"type": "integer"},
                  "server_ingest_time": {"type": "integer"},
                  "source_type": {"const": "http_server"},
                  "data": {"type": "string"},
                  "data_cut": {"const": true},
                  "data_bytes": {"type": "integer", "minimum": 0},
                  "received_at": {"type": "integer"},
                  "status": {"enum": ["good", "bad"]},
                  "reason": {
                    "enum": ["empty", "base64", "gzip", "inflation_limit", "json", "not_an_array", "too_many", null]
                  },
                  "detail": {"type": ["string", "null"]},
                  "events": {"type": "integer", "minimum": 0},
                  "bad_events": {"type": "integer", "minimum": 0},
                  "unlisted_violations": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Sum over the events of the request."
                  },
                  "duplicates": {"type": "integer", "minimum": 0},
                  "event_bundle_sequence_id": {"type": ["integer", "null"]},
                  "unique_id": {"type": ["string", "null"]},
                  "hash_code": {"type": ["string", "null"]},
                  "hash_matches": {"type": ["boolean", "null"]},
                  "encoded_bytes": {"type": "integer", "minimum": 0},
                  "raw_bytes": {"type": "integer", "minimum": 0},
                  "ratio": {"type": ["number", "null"]},
                  "clock_skew_ms": {"type": ["integer", "null"]}
                },
                "required": [
                  "date",
                  "uri",
                  "ua",
                  "ip",
                  "rid",
                  "method",
                  "appId",
                  "platform",
                  "compression",
                  "fakeIp",
                  "path",
                  "timestamp",
                  "ingest_time",
                  "server_ingest_time",
                  "source_type",
                  "received_at",
                  "status",
                  "reason",
                  "detail",
                  "events",
                  "bad_events",
                  "unlisted_violations",
                  "duplicates",
                  "event_bundle_sequence_id",
                  "unique_id",
                  "hash_code",
                  "hash_matches",
                  "encoded_bytes",
                  "raw_bytes",
                  "ratio",
                  "clock_skew_ms"
                ]
              },
              "Screen": {
                "type": "object",
                "properties": {
                  "name": {"type": ["string", "null"]},
                  "unique_id": {"type": ["string", "null"]},
                  "entered_at": {"type": "integer"},
                  "engagement_ms": {"type": "integer"}
                },
                "required": ["name", "unique_id", "entered_at", "engagement_ms"]
              },
              "Session": {
                "type": "object",
                "properties": {
                  "id": {"type": "string"},
                  "number": {"type": ["integer", "null"]},
                  "app_id": {"type": ["string", "null"]},
                  "user_ids": {"type": "array", "items": {"type": "string"}},
                  "unique_ids": {"type": "array", "items": {"type": "string"}},
                  "start": {"type": "integer"},
                  "last": {"type": "integer"},
                  "duration_ms": {"type": "integer", "minimum": 0},
                  "events": {"type": "integer", "minimum": 0},
                  "screens": {"type": "array", "items": {"$ref": "#/components/schemas/Screen"}},
                  "engagement_ms": {"type": "integer"},
                  "errors": {"type": "integer", "minimum": 0}
                },
                "required": [
                  "id",
                  "number",
                  "app_id",
                  "user_ids",
                  "unique_ids",
                  "start",
                  "last",
                  "duration_ms",
                  "events",
                  "screens",
                  "engagement_ms",
                  "errors"
                ]
              },
              "TimelineEntry": {
                "type": "object",
                "properties": {
                  "name": {"type": ["string", "null"]},
                  "event_id": {"type": ["string", "null"]},
                  "timestamp": {"type": "integer"},
                  "offset_ms": {"type": "integer"},
                  "screen": {"type": ["string", "null"]},
                  "status": {"enum": ["good", "bad"]}
                },
                "required": ["name", "event_id", "timestamp", "offset_ms", "screen", "status"]
              },
              "Fault": {
                "type": "object",
                "additionalProperties": false,
                "description": "One effect, or a latency, or both.",
                "properties": {
                  "status": {"type": "integer", "minimum": 200, "maximum": 599},
                  "retry_after": {
                    "anyOf": [
                      {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
                      {
                        "type": "string",
                        "pattern": "^([0-9]+|(Mon|Tue|Wed|Thu|Fri|Sat|Sun), (0[1-9]|[12][0-9]|3[01]) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{4} ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9] GMT)$"
                      },
                      {"type": "null"}
                    ]
                  },
                  "latency": {
                    "anyOf": [
                      {"type": "integer", "minimum": 0, "maximum": 3600000},
                      {"type": "string", "pattern": "^[1-9][0-9]{0,2}(ms|s)$"}
                    ]
                  },
                  "reset": {"enum": ["before", "during", "after", true]},
                  "truncate": {"const": true},
                  "kind": {
                    "enum": [
                      "reset-before",
                      "reset-during",
                      "reset-after",
                      "truncate",
                      "slow",
                      "no-reply",
                      "twice"
                    ]
                  },
                  "rate": {"type": "number", "minimum": 0, "maximum": 1},
                  "times": {"type": ["integer", "null"], "minimum": 1, "maximum": 2147483647}
                },
                "anyOf": [
                  {"required": ["status"]},
                  {"required": ["reset"]},
                  {"required": ["truncate"]},
                  {"required": ["kind"]},
                  {"required": ["latency"]}
                ],
                "dependentRequired": {"retry_after": ["status"]},
                "not": {
                  "anyOf": [
                    {"required": ["status", "reset"]},
                    {"required": ["status", "truncate"]},
                    {"required": ["status", "kind"]},
                    {"required": ["reset", "truncate"]},
                    {"required": ["reset", "kind"]},
                    {"required": ["truncate", "kind"]}
                  ]
                }
              },
              "Faults": {
                "type": "object",
                "properties": {
                  "faults": {
                    "type": "array",
                    "items": {
                      "type": "object", "required": ["rate", "struck"]
                    }
                  }
                },
                "required": ["faults"]
              },
              "MicroSummary": {
                "type": "object",
                "properties": {
                  "total": {"type": "integer", "minimum": 0},
                  "good": {"type": "integer", "minimum": 0},
                  "bad": {"type": "integer", "minimum": 0}
                },
                "required": ["total", "good", "bad"]
              },
              "MicroGood": {
                "type": "object",
                "properties": {
                  "rawEvent": {"type": "object"},
                  "eventType": {"type": ["string", "null"]},
                  "schema": {"type": "null"},
                  "contexts": {"type": "array"},
                  "event": {}
                },
                "required": ["rawEvent", "eventType", "schema", "contexts", "event"]
              },
              "MicroBad": {
                "type": "object",
                "properties": {
                  "collectorPayload": {"type": "object"},
                  "rawEvent": {"type": ["object", "null"]},
                  "errors": {"type": "array", "items": {"type": "string"}},
                  "unlistedViolations": {"type": "integer", "minimum": 0}
                },
                "required": ["collectorPayload", "rawEvent", "errors", "unlistedViolations"]
              }
            }
          }
        }
        """#
}
#endif
