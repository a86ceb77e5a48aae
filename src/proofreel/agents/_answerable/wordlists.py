"""Small closed word lists: what carries no content, what is light, what contrasts with what."""

from __future__ import annotations

STOP = frozenset(
    "a an the this that these those some any each every all both few more most much many such own same other "
    "another i you he she it we they me him her us them my your his its our their mine "
    "yours ours theirs who whom "
    "whose which what when where why how is am are was were be been being do does did done "
    "doing have has had "
    "having will would shall should can could may might must ought and or but if then else "
    "so than as of at by for "
    "with about against between into through to from up down in out on off over under "
    "again further here there "
    "once only very just too also not no nor s t ll re ve d m let lets please yes ok okay "
    "well oh um uh per via "
    "now before after during within without upon onto yet still ever even while because until since".split()
)
NEGATIONS = frozenset(
    "not no never neither nor without cannot cant dont doesnt isnt wasnt arent wont nobody none".split()
)
"""Words that turn a statement round; apostrophes are dropped before the look-up."""

ABOUT_VIDEO = frozenset(
    "video clip film recording footage frame scene screen slide caption subtitle text sign "
    "label title speaker "
    "narrator presenter host say says said saying tell tells told mention mentions "
    "mentioned mentioning state stated "
    "states according show shows shown showing displayed display displays read reads "
    "written write appear appears "
    "speech spoken speak talk talks heard hear announce announced announces announcement "
    "question answer following "
    "statement describe described explain explained indicate indicated give given gives "
    "visible seen see name named "
    "names called call listed lists kind type sort exactly word words board banner poster overlay onscreen "
    "information according claim claims claimed viewer viewers".split()
)
"""Words that speak about the recording, not about its content."""

LIGHT = frozenset(
    "take takes took taken place happen happens happened use used uses make makes made "
    "need needs needed get gets got "
    "put puts go goes went going come comes came start starts started begin begins began "
    "thing things way ways part "
    "people person someone man woman one want wants wanted people work works working run "
    "runs located find found new "
    "set sets keep keeps kept know known will new have held hold holds holding day today "
    "time new offer offers "
    "offered include includes included contain contains provide provides provided expect "
    "expected plan planned "
    "become became think think thinks main total number amount many much long far "
    "currently now actually specific "
    "correct scheduled schedule supposed available project event programme program "
    "presentation lesson tutorial".split()
)
"""Content words that say little: they weigh less as anchors."""

CONTRAST: tuple[frozenset[str], ...] = tuple(
    frozenset(row.split())
    for row in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "january february march april may june july august september october november december",
        "spring summer autumn winter",
        "breakfast lunch dinner supper brunch",
        "morning afternoon evening night midnight noon",
        "north south east west northern southern eastern western",
        "left right",
        "red green blue yellow orange purple pink black white brown grey gray",
        "open close",
        "opening closing",
        "start end finish",
        "begin end finish",
        "arrive leave depart",
        "arrival departure",
        "buy sell",
        "minimum maximum",
        "min max",
        "first second third fourth fifth last final",
        "large small medium",
        "largest smallest",
        "big small",
        "highest lowest",
        "high low",
        "cheap expensive",
        "cheapest dearest",
        "up down",
        "increase decrease",
        "rise fall",
        "before after",
        "win lose",
        "hot cold",
        "adult child senior student",
        "student teacher",
        "single return",
        "daily weekly monthly yearly annual",
        "day week month year hour minute second",
        "import export",
        "male female",
        "men women",
        "boy girl",
        "man woman",
        "mother father",
        "brother sister",
        "son daughter",
        "husband wife",
        "uncle aunt",
        "upload download",
        "enter exit",
        "entrance exit",
        "above below",
        "add remove",
        "accept reject",
        "indoor outdoor",
        "inside outside",
        "phone email fax website address",
        "username password",
        "weekday weekend",
        "today tomorrow yesterday",
        "cat dog horse cow sheep goat pig rabbit hamster",
        "breakfast coffee tea juice water milk beer wine",
        "bus train tram ferry plane taxi bicycle boat",
        "hotel restaurant cafe bar museum library theatre cinema shop school hospital pool gym",
        "salt sugar pepper flour butter",
        "apple pear banana cherry plum lemon orange grape",
        "car truck van motorcycle",
        "kilometre mile metre",
        "goal penalty corner",
        "president vice-president secretary treasurer chairman",
        "director manager assistant",
        "budget revenue profit loss",
        "warm cool",
        "fast slow",
        "early late",
        "upper lower",
        "top bottom",
        "front back",
        "public private",
        "raw cooked",
        "wet dry",
        "cost salary",
        "height width depth length weight",
        "temperature humidity pressure",
        "population area",
        "gate platform room floor terminal seat hall",
        "login logout",
        "birth death",
        "born died",
        "old young",
        "ticket membership parking",
        "deposit rent",
        "lend borrow",
        "push pull",
        "construction demolition",
        "founder successor",
        "discount deposit",
        "heating cooling",
    )
)
"""Words of one row exclude each other: a line that names one does not speak about another."""

SYNONYM: tuple[frozenset[str], ...] = tuple(
    frozenset(row.split())
    for row in (
        "cost price fee charge fare",
        "begin start",
        "end finish",
        "leave depart",
        "close shut",
        "buy purchase",
        "child kid",
        "employee staff worker",
        "phone telephone",
        "photo picture photograph",
        "big large",
        "autumn fall",
        "film movie",
        "mend repair fix",
        "car automobile",
        "professor prof",
        "doctor dr",
        "beat defeat",
        "bike bicycle",
        "email mail e-mail",
        "postpone delay",
        "metre meter",
        "kilometre kilometer km",
    )
)

MEASURES: tuple[frozenset[str], ...] = tuple(
    frozenset(row.split())
    for row in (
        "long length",
        "tall high height",
        "deep depth",
        "wide width",
        "thick",
        "apart",
        "far away",
        "heavy",
        "old",
        "fast",
        "hot warm cold",
    )
)
"""Adjectives of measure; those of one row say the same."""

MONTHS = (
    {
        m: i + 1
        for i, m in enumerate(
            "january february march april may june july august september october november december".split()
        )
    }
    | {
        m: i + 1
        for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())
        if m != "may"
    }
    | {"sept": 9}
)
WEEKDAYS = {
    d: i for i, d in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())
} | {
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "thu": 3,
    "thurs": 3,
    "fri": 4,
    "sat": 5,
    "sun": 6,
}
COLOURS = frozenset(
    "red green blue yellow orange purple violet pink black white brown grey gray gold "
    "golden silver beige turquoise "
    "crimson scarlet navy teal maroon ivory cream "
    "红色 绿色 蓝色 黄色 橙色 紫色 粉色 黑色 白色 棕色 灰色 金色 银色".split()
)
COMMON_CAPITALS = frozenset(
    "i the a an welcome please today tomorrow yesterday now here there this that these "
    "those we you he she it they my "
    "our your his her if when while for from in on at to and but or so because after "
    "before all no not yes do don "
    "thanks thank hello hi good first second third next finally then let remember note "
    "open closed hours price total "
    "date time speaker host chef room hall gate platform floor street road avenue station "
    "museum library school "
    "centre center park hotel airport terminal tickets ticket agenda contact email phone "
    "call password login news "
    "weather step how what who where why which is are was were has have had will can must step part chapter "
    "english mr mrs ms dr prof ok".split()
)
"""Words that begin with a capital for reasons other than being a name."""
