"""How questions are worded: the patterns that give type, order, source, and what only eyes can tell."""

from __future__ import annotations

import re

from proofreel.agents._answerable.kinds import Kind
from proofreel.agents._answerable.words import base

MEASURES = {
    "long": "duration length",
    "far": "length",
    "tall": "length",
    "high": "length",
    "deep": "length",
    "wide": "length",
    "heavy": "weight",
    "fast": "speed",
    "hot": "temperature",
    "cold": "temperature",
    "warm": "temperature",
    "old": "duration",
    "temperature": "temperature",
    "speed": "speed",
    "height": "length",
    "length": "length duration",
    "weight": "weight",
    "width": "length",
    "depth": "length",
    "distance": "length",
    "duration": "duration",
    "big": "",
    "large": "",
    "thick": "length",
}
LABELS = frozenset(
    base(w)
    for w in "gate platform room floor hall track seat terminal level bus flight line chapter page "
    "step channel number "
    "lane row bay desk counter exit route version edition episode season shelf aisle table "
    "building lot "
    "tram zone section part score result deck cabin booth stand pier dock size grade class".split()
)
PLACES = (
    "city|country|town|village|place|location|venue|building|street|address|district|region|area|state|island"
)
RULES: tuple[tuple[str, Kind, str], ...] = (
    (
        r"\bphone number|\btelephone|\bnumber (?:can|should|do|to) .{0,20}\b(?:call|ring|dial)\b",
        Kind.PHONE,
        "phone telephone number call ring dial",
    ),
    (r"\be-?mail\b(?! .{0,20}\bsent\b)", Kind.EMAIL, "email e-mail mail address"),
    (
        r"\bweb ?(?:site|page|address)|\burl\b|\bwhich site\b|\blink\b",
        Kind.URL,
        "website site web page address url link visit webpage",
    ),
    (
        r"\bpass(?:word|code|phrase)\b|\bpin\b|\b(?:access|door|discount|promo|coupon|entry|"
        r"voucher|security|booking|error|course|product|tracking) code\b|\b(?:what|which) code\b",
        Kind.CODE,
        "",
    ),
    (
        r"\b(?:what|which) (?:\w+ )?colou?rs?\b|\bcolou?r (?:is|are|was|were|of)\b",
        Kind.COLOUR,
        "color colour",
    ),
    (
        r"\bwhat percent|\bpercentage\b|\bhow many percent\b|\bper cent\b",
        Kind.PERCENT,
        "percent percentage share",
    ),
    (r"\b(?:what|which|at what) time\b|\bwhat hour\b|\bo'?clock\b", Kind.TIME, "time hour o'clock oclock"),
    (
        r"\b(?:what|which|on what|on which) (?:\w+ )?(?:day|date|weekday|month|year)\b|\bdate "
        r"(?:is|of|was)\b",
        Kind.DATE,
        "day date weekday month year",
    ),
    (r"\bhow many\b|\bthe (?:total )?number of\b", Kind.COUNT, ""),
    (
        r"\bhow much (?:(?:do|does|did|will|would|is|are|was|were|must|should|"
        r"can)\b)(?!.*\b(?:weigh|hold|grow|rise|rose|fall|increase)\b)|\b(?:price|cost|fee|fare|"
        r"charge|salary|rent|budget|fine|prize|deposit)\b(?= (?:of|for|is|was|per|to)\b|\?|$)|"
        r"\bhow much money\b|\bhow expensive\b|\bwhat (?:do|does|did|will|would) .{1,60}\bcosts?\b",
        Kind.MONEY,
        "price cost fee charge pay paid money much expensive worth",
    ),
    (r"\bhow much\b", Kind.QUANTITY, "much weigh"),
    (
        r"\bhow (?P<m>long|far|tall|high|deep|wide|heavy|fast|hot|cold|warm|old|big|large|"
        r"thick)\b",
        Kind.QUANTITY,
        "",
    ),
    (
        r"\bwhat (?:is|was|are|will be) the (?:\w+ ){0,3}?(?P<m>temperature|speed|height|length|"
        r"weight|width|depth|distance|duration)\b|\b(?:what|which) (?P<m2>temperature|speed|"
        r"height|length|weight|width|depth|distance)\b",
        Kind.QUANTITY,
        "",
    ),
    (r"^what(?:'s| is| was) the (?:\w+ )?address\b|\b(?:what|which) address\b", Kind.PLACE, "address"),
    (r"\b\w+'s name\b", Kind.PERSON, "name called"),
    (
        r"\bwho(?:se|m)?\b|\b(?:what|which) (?:person|man|woman|speaker|author|player|teacher)\b",
        Kind.PERSON,
        "person",
    ),
    (
        rf"\bwhere\b|\b(?:what|in what|which|in which|at which) (?:{PLACES})\b",
        Kind.PLACE,
        f"{PLACES.replace('|', ' ')} locate located situated find found held take place",
    ),
    (r"\bwhen\b", Kind.WHEN, "happen take place"),
    (r"\bwhy\b|\bfor what reason\b|\bwhat (?:is|was) the reason\b|\bwhat caused\b", Kind.REASON, "reason"),
    (
        r"\bwhat (?:is|was|are) the (?:\w+ )?names? of\b|\bwhat (?:is|was|are) "
        r".{1,60}\b(?:called|named)\b|\bname of\b|\bwhat name\b",
        Kind.NAME,
        "name called named",
    ),
    (
        r"^(?:what|which) (?:words? |text |sentence |message )?(?:do|does|did|is|are|was|were) "
        r".{0,40}\b(?:say|says|read|written|shown|displayed|state)\b",
        Kind.SAY,
        "",
    ),
    (r"^(?:is|are|was|were|does|do|did|can|could|will|has|have|should|must|may)\b", Kind.YESNO, ""),
    (r"\bhow\b", Kind.MANNER, ""),
)
ORDERS = (
    (
        "earlier",
        r"\b(?:original(?:ly)?|initial(?:ly)?|at first|previous(?:ly)?|formerly|(?:moved|"
        r"changed|switched|rescheduled) from|before (?:the|it was) (?:change|move|update)d?)\b",
    ),
    (
        "later",
        r"\b(?:moved to|changed to|switched to|updated to|rescheduled (?:to|for)|postponed "
        r"(?:to|until)|updated|replaced (?:by|with)|after the (?:change|update|move)|corrected|"
        r"correction|now)\b",
    ),
    (
        "last",
        r"\b(?:last(?! (?:year|week|month|night|summer|winter|spring|autumn|season|time|name|"
        r"\w+day))|final(?:ly)?|at the (?:very )?end|in the end|ends? with)\b",
    ),
    (
        "first",
        r"\b(?:first(?! (?:half|floor|name|class|aid|time|lady|language))|at the (?:very "
        r")?(?:beginning|start)|begins? with)\b",
    ),
)
ORDER_WORDS = frozenset(
    base(w)
    for w in "original originally initial initially previous previously moved changed switched "
    "updated rescheduled postponed replaced corrected correct last final finally end first "
    "beginning start opening closing change update".split()
)
VISUAL = re.compile(
    r"\bwhat (?:is|are|was|were) (?:the |a |an |this |that )?(?:\w+ ){0,3}(?:doing|wearing|"
    r"holding|carrying|riding|eating|drinking|chasing|looking)\b"
    r"|\b(?:wearing|wears?|dressed|holding|facial|expression|looks? like|gesture|posing|"
    r"hairstyle|hair|beard|glasses|clothes|shirt|jacket|dress)\b"
    r"|\b(?:visible|can be seen|is seen|are seen|do you see|can you see|appears? (?:on|in) "
    r"(?:the )?(?:screen|frame|video|scene|background|picture)|in the (?:background|"
    r"foreground|picture|scene|frame|shot|image))\b"
    r"|\b(?:left|right|top|bottom|upper|lower)[- ](?:side|corner|hand|half)\b|\bto the "
    r"(?:left|right) of\b|\bin front of\b"
    r"|\bcolou?r\b|\b(?:camera|zoom|shot from|filmed|animation|shape)\b|\b(?:is|are|was|"
    r"were)\b.{0,40}\b(?:walking|running|sitting|standing|jumping|dancing|smiling|waving|"
    r"laughing|pointing)\b"
    r"|\bhow many (?:people|persons|men|women|children|cars|animals|objects|birds|dogs|cats|"
    r"cups|trees|windows|chairs|pedestrians|cyclists)\b.{0,40}\b(?:are there|cross|walk|"
    r"appear|enter|pass|in the video|in the clip|on (?:the )?(?:screen|street))"
    r"|\b(?:what|which) (?:animal|animals|vehicle|object|objects|"
    r"person)\b.{0,50}\b(?:appear|video|scene|clip|shown|see|screen)\b|\bwhat happens\b|"
    r"\bindoors or outdoors\b|\bweather like\b"
    r"|\bwhere (?:is|are) the (?:man|woman|person|ball|dog|cat|cup|car|child|boy|girl|rabbit|bird|people)\b"
)
SPEECH = re.compile(
    r"\b(?:speaker|narrator|presenter|host|voice|announcer|heard|spoken|in the (?:talk|"
    r"speech|audio))\b|\b(?:is|was|are|were) said\b|\b(?:does|did) (?:he|she) say\b"
)
SCREEN = re.compile(
    r"\b(?:on[- ]?screen|on the (?:slide|sign|screen|banner|poster|board|display|whiteboard|"
    r"caption|label)|(?:slide|sign|caption|banner|poster|label|board|subtitle)s? (?:say|"
    r"says|show|shows|read|reads)|written|displayed)\b"
)
AT = re.compile(
    r"\b(?:at|around) (?:second (\d+)|(\d+(?:\.\d+)?) ?(?:s|sec|seconds)\b|"
    r"(\d{1,2}):(\d{2})(?= (?:in|of|into|on) the (?:video|clip|recording)))"
)
HOST = "guide|speaker|presenter|host|narrator|lecturer|announcer|reporter|instructor"
HOSTS = rf"\b(?:{HOST})\b"
NEGATED = re.compile(
    r"\b(?:is|was|are|were|does|do|did)(?: not|n't)\b|\bnot (?:mentioned|listed|shown|"
    r"included|part|among|named|on|in|said|true|one)\b|\bnever mentioned\b|\bexcept\b|"
    r"\bNOT\b"
)
