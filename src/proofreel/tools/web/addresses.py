"""Which network addresses are public: everything the IANA special-purpose registries set aside is not.

Python's own ``is_global`` differs between versions, so the blocks are written out (registries of RFC 6890, as of 2025).
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_V4 = {
    "this network": ("0.0.0.0/8",),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
    "carrier-grade NAT": ("100.64.0.0/10",),
    "loopback": ("127.0.0.0/8",),
    "link-local (cloud metadata)": ("169.254.0.0/16",),
    "reserved": (
        "192.0.0.0/24",
        "192.88.99.0/24",
        "240.0.0.0/4",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.175.48.0/24",
    ),
    "documentation": ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"),
    "benchmarking": ("198.18.0.0/15",),
    "multicast": ("224.0.0.0/4",),
    "cloud metadata": ("168.63.129.16/32",),
}
_V6 = {
    "unspecified": ("::/128",),
    "loopback": ("::1/128",),
    "discard-only": ("100::/64", "100:0:0:1::/64"),
    "reserved for protocols": ("2001::/23",),
    "documentation": ("2001:db8::/32", "3fff::/20"),
    "6to4": ("2002::/16",),
    "AS112": ("2620:4f:8000::/48",),
    "segment routing": ("5f00::/16",),
    "private": ("fc00::/7",),
    "link-local": ("fe80::/10",),
    "site-local": ("fec0::/10",),
    "multicast": ("ff00::/8",),
}
_V4_BLOCKS = [(IPv4Network(net), name) for name, nets in _V4.items() for net in nets]
_V6_BLOCKS = [(IPv6Network(net), name) for name, nets in _V6.items() for net in nets]
_GLOBAL_V6 = IPv6Network("2000::/3")
# Prefixes whose last 32 bits are an IPv4 address: mapped, translated, compatible, NAT64 (well-known and local use).
_CARRIES_V4 = [
    IPv6Network(net)
    for net in ("::ffff:0:0/96", "::ffff:0:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48")
]
_ISATAP = (0x00005EFE, 0x02005EFE)


def not_public(address: str) -> str | None:
    """Why an address must not be contacted, None when it is a public one.

    IPv6 addresses that carry an IPv4 address are judged by that address as well; 6to4 and Teredo are refused whole.
    """
    plain = address.partition("%")[0]
    try:
        parsed = ip_address(plain)
    except ValueError:
        return "no address"
    if isinstance(parsed, IPv4Address):
        return _v4(parsed)
    return _v6(parsed)


def _v4(address: IPv4Address) -> str | None:
    return next((name for block, name in _V4_BLOCKS if address in block), None)


def _v6(address: IPv6Address) -> str | None:
    named = next((name for block, name in _V6_BLOCKS if address in block), None)
    if named is not None:
        return named
    number = int(address)
    if any(address in block for block in _CARRIES_V4):
        inner = IPv4Address(number & 0xFFFFFFFF)
        why = _v4(inner)
        return f"{why} address {inner} inside IPv6" if why else None
    if (number >> 32) & 0xFFFFFFFF in _ISATAP:
        return "tunnel (ISATAP)"
    return None if address in _GLOBAL_V6 else "reserved"
