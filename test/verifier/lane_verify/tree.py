"""docs/spec/proof.md: the tree of RFC 6962 over the entries of a ledger."""
import hashlib

from jcs import text_of


def leaf_of(entry):
    rest = {name: member for name, member in entry.items() if name != "hash"}
    return hashlib.sha256(b"\0" + text_of(rest).encode()).digest()


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of(leaves):
    """The root over these leaves, by the definition."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node(root_of(leaves[:split]), root_of(leaves[split:]))


def root_above(leaf, index, size, path):
    """RFC 9162, 2.1.3.2: the root that a leaf with this path has above it; None where the path does not fit."""
    if not 0 <= index < size:
        return None
    here, last, root = index, size - 1, leaf
    for hash_ in path:
        if last == 0:
            return None
        if here % 2 == 1 or here == last:
            root = node(hash_, root)
            while here % 2 == 0 and here != 0:
                here, last = here // 2, last // 2
        else:
            root = node(root, hash_)
        here, last = here // 2, last // 2
    return root if last == 0 else None


def is_consistent(size, root, later_size, later_root, path):
    """RFC 9162, 2.1.4.2: whether the tree of this size and root is the beginning of the later one."""
    if size == 0:
        return not path and root == root_of([])
    if not 0 < size <= later_size:
        return False
    if size == later_size:
        return not path and root == later_root
    path = [root, *path] if size & (size - 1) == 0 else list(path)
    if not path:
        return False
    here, last = size - 1, later_size - 1
    while here % 2 == 1:
        here, last = here // 2, last // 2
    former = latter = path[0]
    for hash_ in path[1:]:
        if last == 0:
            return False
        if here % 2 == 1 or here == last:
            former, latter = node(hash_, former), node(hash_, latter)
            while here % 2 == 0 and here != 0:
                here, last = here // 2, last // 2
        else:
            latter = node(latter, hash_)
        here, last = here // 2, last // 2
    return last == 0 and former == root and latter == later_root
