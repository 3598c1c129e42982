"""Signatures of records: Ed25519 over the bytes of the record's file, kept beside it as ``RECORD.sig``.

A record contains the digest of its release, so a signature of the record vouches for both. It is the plain signature of
64 bytes, which other tools check too: ``openssl pkeyutl -verify -rawin -pubin -inkey KEY -in RECORD -sigfile
RECORD.sig``.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from leakgauge.drafts import could_not_write, target, write_whole
from leakgauge.errors import FileError, OptionError
from leakgauge.probability.files import not_a_file
from leakgauge.sentences import Sentence

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_OTHERS = 0o077
"""Rights of everybody but the owner."""
_OPENSSH = b"-----BEGIN OPENSSH PRIVATE KEY-----"
_PRIME = 2**255 - 19
_ORDER_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL = frozenset({0, 1, _PRIME - 1, _ORDER_8, _PRIME - _ORDER_8})
"""y of the points of order 1, 2, 4 and 8."""
_LONGEST = 1 << 16
"""Bytes; no key of this kind is longer."""


def signature_place(record: Path) -> Path:
    """The file of a record's signature: beside the record, whatever link leads to it."""
    place = target(record) if record.is_symlink() else record
    return place.with_name(place.name + ".sig")


def private_key(path: Path) -> Ed25519PrivateKey:
    """The key in a file as ``openssl genpkey -algorithm ed25519`` or ``ssh-keygen -t ed25519`` writes it."""
    key = _loaded(path, _OPENSSH, "load_ssh_private_key", "load_pem_private_key", None)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if not isinstance(key, Ed25519PrivateKey):
        raise FileError(
            "{path} is not a private Ed25519 key in PEM without a passphrase; make one with openssl genpkey -algorithm "
            "ed25519.",
            path=path,
        )
    rights = path.stat().st_mode & 0o777
    if rights & _OTHERS:
        raise FileError(
            "Others may use the private key {path}, whose mode is {mode:o}; run chmod 600 on it.",
            path=path,
            mode=rights,
        )
    return key


def public_key(path: Path) -> Ed25519PublicKey:
    """The key in a file as ``openssl pkey -pubout`` or ``ssh-keygen`` writes it."""
    key = _loaded(path, b"-----", "load_pem_public_key", "load_ssh_public_key")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if not isinstance(key, Ed25519PublicKey):
        raise FileError(
            "{path} is not a public Ed25519 key; write that of a private one with openssl pkey -in KEY -pubout.",
            path=path,
        )
    if _is_of_small_order(key.public_bytes_raw()):
        raise FileError(
            "{path} is a public Ed25519 key of small order, under which anybody can sign; get the key of the signer.",
            path=path,
        )
    return key


def _is_of_small_order(key: bytes) -> bool:
    """Whether a point, however it is written, is one of the eight that a multiple of 8 brings to nought."""
    # The highest bit is the sign of x, which does not matter; y may be written with the prime added.
    return (int.from_bytes(key, "little") & ((1 << 255) - 1)) % _PRIME in _SMALL


def sign_record(record: Path, content: bytes, key: Ed25519PrivateKey, *, shareable: bool = False) -> Path:
    """The file of the signature over a record's bytes, once it is written whole."""
    place = signature_place(record)
    write_whole(place, key.sign(content), shareable=shareable)
    return place


def record_bytes(record: Path) -> bytes:
    """The bytes that are signed."""
    return _content(record, None)


def require_no_signature(record: Path, overwrite: bool = False) -> None:
    """Refuse a record whose signature cannot be written, or stands there and may not be replaced."""
    place = signature_place(record)
    try:
        there = place.exists()
    except OSError as error:
        raise could_not_write(place, error) from None
    if there and not overwrite:
        raise FileError("{path} exists and may be somebody else's signature; move it away first.", path=place)


def forget_signature(record: Path) -> None:
    """Remove the signature of an earlier record, where there is one."""
    with suppress(OSError):
        signature_place(record).unlink()


def why_not_signed(record: Path, content: bytes, key: Ed25519PublicKey) -> Sentence | None:
    """Why the bytes of a record do not count as signed by a key; None where they do."""
    from cryptography.exceptions import InvalidSignature

    place = signature_place(record)
    if not place.is_file():
        return Sentence("{path!s} does not exist", path=str(place))
    try:
        key.verify(_content(place), content)
    except InvalidSignature:
        return Sentence("the signature was made with another key, or the record changed afterwards")
    return None


def _loaded(path: Path, begins: bytes, load: str, otherwise: str, *password: None) -> object:
    """The key in a file, loaded by one function of cryptography or, where it begins otherwise, by the other."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives import serialization
    except ImportError:
        raise OptionError(
            "Signatures need the extra `signing`; install it with `pip install leakgauge[signing]`."
        ) from None
    content = _content(path)
    try:
        return getattr(serialization, load if content.startswith(begins) else otherwise)(content, *password)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        return None


def _content(path: Path, longest: int | None = _LONGEST) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(-1 if longest is None else longest)
    except (FileNotFoundError, IsADirectoryError) as error:
        raise not_a_file(path, error) from None
    except OSError as error:
        reason = error.strerror or "the system refused"
        raise FileError("{path} cannot be read: {reason}.", path=path, reason=reason) from None
