"""Taking Chinese questions apart: question words give the type, what is left between function words are anchors."""

from __future__ import annotations

import re

from proofreel.agents._answerable.kinds import Anchor, Asked, Kind
from proofreel.agents._answerable.words import CJK, fold

_RULES = (
    (r"电话(?:号码)?", Kind.PHONE),
    (r"邮箱|电子邮件", Kind.EMAIL),
    (r"网址|网站", Kind.URL),
    (r"密码|口令|验证码", Kind.CODE),
    (r"什么颜色|颜色", Kind.COLOUR),
    (r"百分之|百分比|比例", Kind.PERCENT),
    (r"几点(?:钟)?|什么时间", Kind.TIME),
    (r"哪(?:一)?(?:天|年|个月)|星期几|周几|几月几[日号]|日期|几号(?!\w)", Kind.DATE),
    (r"什么时候|何时", Kind.WHEN),
    (r"多少钱|价格|票价|费用|多少元", Kind.MONEY),
    (
        r"多长|多远|多高|多重|多久|多快|几(?:公里|米|分钟|小时|公斤)|温度|气温|多少(?:公里|米|分钟|小时|公斤|克|毫升|度)",
        Kind.QUANTITY,
    ),
    (r"多少|几(?:个|名|位|人|本|辆|次|家|只|条)", Kind.COUNT),
    (r"谁|哪位", Kind.PERSON),
    (r"哪里|哪儿|什么地方|何处|在哪", Kind.PLACE),
    (r"为什么|为何|原因", Kind.REASON),
    (r"叫什么(?:名字)?|名字|名称", Kind.NAME),
    (r"几(?:号|层|楼|班|路)|哪个(?:房间|站台|登机口|教室)", Kind.LABEL),
    (r"怎么|如何", Kind.MANNER),
    (r"是否|吗", Kind.YESNO),
)
_KEPT = {
    Kind.CODE: "",
    Kind.LABEL: "",
    Kind.MONEY: "多少钱|多少元|(?<=票)价格|价格|费用",
    Kind.QUANTITY: r"多[长远高重久快]|多少\w{0,2}|几(?:公里|米|分钟|小时|公斤)",
    Kind.REASON: "为什么|为何",
}
_FUNCTION = re.compile(
    r"什么|哪些|哪个|多少|怎么|如何|为什么|为何|是不是|是否|请问|视频|画面|屏幕|字幕|里面|中|提到|显示|说|写|的|了|是|在|和|与|吗|呢|啊|从|到|有|"
    r"对|把|被|会(?!议|员)|要|需要|可以|能|个|这|那|一共|将"
)
_LIGHT = frozenset("出发 发车 开始 举行 进行 到达 需要 使用 主要 今天 时间".split())
_VISUAL = re.compile(r"穿|颜色|在做什么|看起来|手里|左边|右边|背景|戴|表情|拿着")


def asked_chinese(text: str) -> Asked:
    """Takes a Chinese question apart; anchors are the runs left when question and function words are gone."""
    folded = fold(text)
    kind, rest = Kind.THING, folded
    for pattern, found in _RULES:
        if re.search(pattern, folded):
            kind = found
            drop = _KEPT.get(found, pattern)
            rest = re.sub(drop, " ", folded) if drop else folded
            break
    rest = re.sub(r"什么|多少|几", " ", rest)
    order = (
        "last" if re.search("最后|最终", rest) else "first" if re.search("首先|第一个|最先", rest) else None
    )
    if re.search("改到|改为|换到|改成", rest):
        order = "later"
    anchors: list[Anchor] = []
    for run in re.findall(rf"[{CJK}]+|[a-z0-9][a-z0-9.:-]*", rest):
        pieces = [p for p in _FUNCTION.split(run) if p] if re.match(f"[{CJK}]", run) else [run]
        for piece in pieces:
            latin = not re.match(f"[{CJK}]", piece)
            if not any(a.stem == piece for a in anchors) and (latin or len(piece) > 1 or len(run) == 1):
                anchors.append(Anchor(piece, piece, key=latin, light=piece in _LIGHT, cjk=not latin))
    source = "screen" if re.search("屏幕|画面|字幕|幻灯片|标牌|上写", folded) else None
    return Asked(
        text,
        kind,
        tuple(anchors),
        phrases=tuple((i,) for i, a in enumerate(anchors) if a.key),
        order=order,
        source=source,
        visual=_VISUAL.search(folded) is not None,
    )
