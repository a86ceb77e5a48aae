"""The pure parts of AVP (plan, observe, reflect): intervals, replies, decisions. Protocol: agents, section 4."""
