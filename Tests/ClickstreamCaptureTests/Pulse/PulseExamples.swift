/// JSON examples of document 003, verbatim, also those with a comma after the last member.
enum PulseExamples {
    static let pageLoad = """
        {
        "event_type": "page_load",
        "event_id": "307CBBE7-8A92-4856-97AB-8F7CC10E4B22",
        "timestamp": 1722336443065,
        "sub_sids": {
        "PAHomeViewController": "C2446833-4351-405B-A02F-CA463D648BA0"
        },
        "is_background": false,
        "data": {
        "metadata": {
        "auto_generated": true,
        "event_id_source": "sdk"
        },
        "connection_type": "WIFI",
        "element": {
        "class": "PADetailViewController",
        "id": "Detail",
        "type": "controller"
        },
        "previous_events": [
        "EB66B7A8-8F25-450E-9A56-996C58779BBD",
        "42012EEE-28F9-481F-8646-CCA5FB5CBC13",
        "B3613147-D129-40A0-A407-9F1EEE910436",
        "C0EE4335-C250-418B-963B-5030411DCB26"
        ],
        "sources_info": [
        {
        "class": "PAHomeViewController",
        "id": "Home"
        }
        ]
        }
        }
        """

    static let pageView = """
        {
        "event_type": "page_view",
        "event_id": "29FA66EC-D92E-4ED6-9CCA-BE93100FAEAD",
        "timestamp": 1722336443122,
        "is_background": false,
        "sub_sids": {
        "PAHomeViewController": "C2446833-4351-405B-A02F-CA463D648BA0",
        "PADetailViewController": "70952851-2932-4BFF-A1DE-98A2345F1F3A"
        },
        "data": {
        "metadata": {
        "event_id_source": "sdk",
        "auto_generated": true
        },
        "connection_type": "WIFI",
        "element": {
        "class": "PAProfileViewController",
        "id": "Profile",
        "type": "controller",
        "sequence": 2
        },
        "previous_events": [
        "42012EEE-28F9-481F-8646-CCA5FB5CBC13",
        "B3613147-D129-40A0-A407-9F1EEE910436",
        "C0EE4335-C250-418B-963B-5030411DCB26",
        "51ED3F3D-20BD-4056-86EA-6E7466A5E998",
        "22C85D49-CCB1-444B-B8B2-61458C74C2C7",
        "B48AD8B9-1096-4F82-A808-AC390705A7B6",
        "307CBBE7-8A92-4856-97AB-8F7CC10E4B22"
        ],
        "sources_info": [
        {
        "class": "PAHomeViewController",
        "id": "Home"
        },
        {
        "class": "PADetailViewController",
        "id": "Detail"
        }
        ]
        }
        }
        """

    static let click = """
        {
        "event_type": "click",
        "event_id": "FD8AF18C-B0EA-430A-A701-A7E7243FACA4",
        "timestamp": 1722330200930,
        "is_background": false,
        "sub_sids": {
        "PAHomeViewController": "3DD731ED-0F72-4847-BA08-1D4343E76D15"
        },
        "data": {
        "metadata": {
        "event_id_source": "sdk",
        "auto_generated": true
        },
        "connection_type": "WIFI",
        "element": {
        "type": "button",
        "value": "Speichern",
        "localized_key": "universal.save"
        },
        "parent_info": {
        "class": "PAHomeViewController"
        },
        "previous_events": [
        "4EE35B59-078A-4B70-B3B6-EDF468561C1A",
        "AA3EFA00-1FFA-4804-9DB9-E6C891BD7399",
        "FE8830FD-E720-4E09-9C01-6440092C66F9"
        ],
        "sources_info": [],
        }
        }
        """

    static let impressions = """
        {
        "event_type": "items_impression",
        "event_id": "F3D7D292-0180-4A1F-8BDE-047CD5C52542",
        "timestamp": 1722351318853,
        "is_background": false,
        "sub_sids": {
        "PAHomeViewController": "013CEE0A-7F71-43F0-ACFE-1E4CE8B7620E",
        "PASimpleCollectionViewController": "49703FFD-C43A-4695-9EE1-E7C671211C5E"
        },
        "data": {
        "metadata": {
        "auto_generated": true,
        "event_id_source": "sdk"
        },
        "connection_type": "WIFI",
        "element": {
        "type": "collection_view_cell"
        },
        "items_count": 8,
        "params": [
        {
        "id": "83204de9",
        "view_time": 4,
        "name": "item 3",
        "timestamp": 1722351315226
        },
        {
        "id": "7ecd1b15",
        "name": "item 6",
        "timestamp": 1722351315226,
        "view_time": 4
        },
        {
        "id": "1b050eac",
        "timestamp": 1722351315226,
        "view_time": 4,
        "name": "item 5"
        },
        {
        "timestamp": 1722351315226,
        "name": "item 4",
        "view_time": 4,
        "id": "6cc0d7ff"
        },
        {
        "view_time": 4,
        "name": "item 1",
        "id": "a531edcc",
        "timestamp": 1722351315226
        },
        {
        "id": "b546f395",
        "view_time": 4,
        "timestamp": 1722351315226,
        "name": "item 2"
        },
        {
        "view_time": 4,
        "id": "077fd072",
        "name": "item 0",
        "timestamp": 1722351315226
        },
        {
        "view_time": 4,
        "timestamp": 1722351315226,
        "name": "item 7",
        "id": "fd6426c3"
        }
        ],
        "parent_info": {
        "class": "PASimpleCollectionViewController"
        },
        "previous_events": [
        "44509F2A-1D13-435A-943F-8F6798116FEF",
        "41E5961F-97A0-4B2C-AB65-4C450799DC6C",
        "DE04BC5B-F750-4A46-8B68-A790C26D6712",
        "12CF5246-97FD-40C2-B831-092BD4EADDF6"
        ],
        "sources_info": [
        {
        "class": "PAHomeViewController",
        "id": "Home"
        },
        {
        "class": "PASimpleCollectionViewController"
        }
        ]
        }
        }
        """

    static let scroll = """
        {
        "event_type": "scroll",
        "event_id": "AD9DD603-0CD0-4E58-9831-19F609DA6DF6",
        "timestamp": 1722348525771,
        "is_background": false,
        "sub_sids": {
        "PAHomeViewController": "4A29E66E-12EB-42DB-BCD2-E708ED19BE4E"
        },
        "data": {
        "metadata": {
        "event_id_source": "sdk",
        "auto_generated": true
        },
        "connection_type": "WIFI",
        "element": {
        "type": "scroll_view"
        },
        "parent_info": {
        "class": "PAHomeViewController",
        "id": "Home"
        },
        "previous_events": [
        "FB155738-B97A-4E95-A95B-5CE044D37FE3",
        "2BF72AAF-906B-4207-9581-11C4641AEA1D",
        "D0880F56-514E-4DBE-A460-AA8D6C3E0EF7"
        ],
        "sources_info": [],
        "scroll_info": {
        "distance": 36,
        "speed": 73,
        "direction": "up",
        "scroll_depth": 27,
        "end_position": 36,
        "start_position": 0,
        "duration": 487
        }
        }
        }
        """

    static let gesture = """
        {
        "event_type": "gesture",
        "event_id": "7749CD2D-8309-47D2-9448-2FD9089A099F",
        "timestamp": 1722350412882,
        "is_background": false,
        "sub_sids": {
        "settings": "A0095D03-5DD6-4FBA-8925-42B2C893F9D4",
        "PAHomeViewController": "802D7F69-E2EB-4F76-98BF-7696EB18D913"
        },
        "data": {
        "metadata": {
        "event_id_source": "sdk",
        "auto_generated": true
        },
        "connection_type": "WIFI",
        "previous_events": [
        "AEB4421F-3627-4D6B-AC7E-44090CF4DD9D",
        "8335E620-3ABE-4238-ACD2-132DA59E94BB",
        "6206B02C-87AF-424C-BF76-FB4270DF8FCE",
        "A0E3B9F1-11B1-4313-97D6-F3C74BA54A2A"
        ],
        "sources_info": [
        {
        "id": "Home",
        "class": "PAHomeViewController"
        },
        {
        "class": "PAProfileViewController",
        "id": "Profile"
        }
        ],
        "parent_info": {
        "id": "Settings",
        "class": "PASettingsViewController"
        },
        "gesture_params": {
        "tap_x": 185,
        "type": "tap",
        "tap_y": 376,
        "taps_count": 1
        },
        "target_info": {
        "class": "UIView"
        },
        }
        }
        """

    /// `element` of the section on localized strings.
    static let localized = """
        "element": {
        "localized_key": "universal.save",
        "value": "Speichern",
        "type": "button"
        }
        """
}
