"""Signed records: with real keys of OpenSSL and OpenSSH, on the command line as a person signs and checks."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts.codec import digest_of, text_of
from leakgauge.release import ReleasePlan, release, verify
from leakgauge.release.ledger import Ledger
from tests.cli.running import run
from tests.release.people import opened

PLAN = '[columns]\nillness = "randomized-response:epsilon=1,letters=this-table"\n'
TABLE = "illness,city\nflu,Oslo\nnone,Bergen\ncold,Oslo\nflu,Oslo\n"


def _made(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys as people make them: ``office`` and ``other`` by OpenSSL, ``ssh`` by OpenSSH, and files that are none."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("office", "other"):
        _made("openssl", "genpkey", "-algorithm", "ed25519", "-out", folder / name)
        _made("openssl", "pkey", "-in", folder / name, "-pubout", "-out", folder / f"{name}.pub")
    _made("ssh-keygen", "-q", "-t", "ed25519", "-m", "PEM", "-N", "", "-f", folder / "ssh")
    _made("ssh-keygen", "-q", "-t", "ed25519", "-N", "a passphrase", "-f", folder / "locked")
    _made("openssl", "genpkey", "-algorithm", "ed448", "-out", folder / "curve")
    (folder / "text").write_text("not a key\n")
    for file in folder.iterdir():
        file.chmod(0o600)
    return folder


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE)
    Path("plan.toml").write_text(PLAN)
    return tmp_path


def released(capsys: pytest.CaptureFixture[str], *more: object) -> tuple[int, str, str]:
    return run(capsys, "release", "people.csv", "--plan", "plan.toml", "-o", "out.csv", *map(str, more))


@pytest.mark.parametrize("name", ["office", "ssh"])
def test_a_signed_release_is_checked_with_the_public_key(
    capsys: pytest.CaptureFixture[str], house: Path, keys: Path, name: str
) -> None:
    code, out, _ = released(capsys, "--sign", keys / name)
    assert code == 0 and "Signature: out.csv.json.sig" in out
    code, out, _ = run(capsys, "verify", "out.csv.json", "--signed-by", str(keys / f"{name}.pub"))
    assert code == 0 and "integrity and authenticity" in " ".join(out.split())
    code, out, _ = run(capsys, "verify", "out.csv.json", "--signed-by", str(keys / f"{name}.pub"), "--json")
    assert json.loads(out)["signed"] is True and "authenticity" in json.loads(out)["shows"]
    code, out, _ = run(capsys, "verify", "out.csv.json", "--json")
    assert json.loads(out)["signed"] is False and "integrity, not authenticity" in json.loads(out)["shows"]
    # Neither the key nor where it lies is in what is written.
    private = (keys / name).read_bytes()
    for file in (*house.glob("*.json"), *house.glob("*.sig")):
        assert str(keys).encode() not in file.read_bytes() and private.splitlines()[1] not in file.read_bytes()


def test_without_a_signature_the_screen_says_what_is_not_shown(capsys: pytest.CaptureFixture[str], house: Path) -> None:
    assert released(capsys)[0] == 0
    _, out, _ = run(capsys, "verify", "out.csv.json")
    assert "This shows integrity, not authenticity" in " ".join(out.split())


def test_openssl_checks_the_same_signature(capsys: pytest.CaptureFixture[str], house: Path, keys: Path) -> None:
    released(capsys, "--sign", keys / "office")
    files = ("-in", "out.csv.json", "-sigfile", "out.csv.json.sig")
    _made("openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", keys / "office.pub", *files)


def test_a_consistent_forgery_is_found_by_the_signature(
    capsys: pytest.CaptureFixture[str], house: Path, keys: Path
) -> None:
    """Letters of the table said to be declared, everywhere and with every digest made to fit."""
    released(capsys, "--sign", keys / "office")
    fields = json.loads(Path("out.csv.json").read_text())
    fields["plan"]["columns"]["illness"]["letters"] = "declared"
    fields["assumptions"] = [said for said in fields["assumptions"] if "letters" not in str(said)]
    Path("out.csv.json").write_text(text_of({**fields, "digest": digest_of(fields)}))
    assert run(capsys, "verify", "out.csv.json")[0] == 0
    code, _, err = run(capsys, "verify", "out.csv.json", "--signed-by", str(keys / "office.pub"))
    assert code == 1 and err.count("\n") == 1
    assert "signature (the signature was made with another key, or the record changed afterwards)" in err


def test_no_signature_a_broken_one_and_one_of_another_key(
    capsys: pytest.CaptureFixture[str], house: Path, keys: Path
) -> None:
    released(capsys, "--sign", keys / "office")
    code, _, err = run(capsys, "verify", "out.csv.json", "--signed-by", str(keys / "other.pub"))
    assert code == 1 and "another key" in err and err.count("\n") == 1
    for content in (b"", b"0" * 64, b"0" * 1000):
        Path("out.csv.json.sig").write_bytes(content)
        assert run(capsys, "verify", "out.csv.json", "--signed-by", str(keys / "office.pub"))[0] == 1
    Path("out.csv.json.sig").unlink()
    code, _, err = run(capsys, "verify", "out.csv.json", "--signed-by", str(keys / "office.pub"))
    assert code == 1 and "out.csv.json.sig does not exist" in err and err.count("\n") == 1


def test_what_was_checked_is_signed_afterwards(capsys: pytest.CaptureFixture[str], house: Path, keys: Path) -> None:
    released(capsys)
    content = Path("out.csv").read_text()
    Path("out.csv").write_text(content + '"flu"\n')
    assert run(capsys, "verify", "out.csv.json", "--sign", str(keys / "office"))[0] == 1
    assert not Path("out.csv.json.sig").exists()
    Path("out.csv").write_text(content)
    code, out, _ = run(capsys, "verify", "out.csv.json", "--sign", str(keys / "office"))
    assert code == 0 and "Signature: out.csv.json.sig" in out
    assert run(capsys, "verify", "out.csv.json", "--signed-by", str(keys / "office.pub"))[0] == 0
    code, _, err = run(capsys, "verify", "out.csv.json", "--sign", str(keys / "other"))
    assert code == 2 and "somebody else's signature" in err


def test_a_release_that_was_there_before_is_signed_only_once_it_is_checked(
    capsys: pytest.CaptureFixture[str], house: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*given: object) -> None:
        raise KeyboardInterrupt

    assert run(capsys, "ledger", "open", "budget", "--dataset", "people", "--epsilon", "2")[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "complete", killed)
        assert released(capsys, "--ledger", "budget")[0] == 130
    code, _, err = released(capsys, "--ledger", "budget", "--sign", keys / "office")
    assert code == 2 and "leakgauge verify --sign" in err and not Path("out.csv.json.sig").exists()
    code, _, _ = run(capsys, "verify", "out.csv.json", "--ledger", "budget", "--sign", str(keys / "office"))
    assert code == 0 and Path("out.csv.json.sig").exists()


BAD_PRIVATE = {
    "none": "There is no file",
    "text": "not a private Ed25519 key",
    "curve": "not a private Ed25519 key",
    "office.pub": "not a private Ed25519 key",
    "locked": "without a passphrase",
}
BAD_PUBLIC = {"none": "There is no file", "text": "not a public Ed25519 key", "office": "not a public Ed25519 key"}


@pytest.mark.parametrize(("name", "reason"), BAD_PRIVATE.items())
def test_a_key_that_cannot_sign_is_refused_before_anything(
    capsys: pytest.CaptureFixture[str], house: Path, keys: Path, name: str, reason: str
) -> None:
    before = sorted(house.iterdir())
    for more in ((), ("--dry-run",)):
        code, _, err = released(capsys, "--sign", keys / name, *more)
        assert code == 2 and reason in err and err.count("\n") == 1
    assert sorted(house.iterdir()) == before


@pytest.mark.parametrize(("name", "reason"), BAD_PUBLIC.items())
def test_a_key_that_cannot_check_is_refused(
    capsys: pytest.CaptureFixture[str], house: Path, keys: Path, name: str, reason: str
) -> None:
    released(capsys)
    code, _, err = run(capsys, "verify", "out.csv.json", "--signed-by", str(keys / name))
    assert code == 2 and reason in err and err.count("\n") == 1


def test_a_private_key_that_others_may_read_is_refused(
    capsys: pytest.CaptureFixture[str], house: Path, keys: Path
) -> None:
    Path("key").write_bytes((keys / "office").read_bytes())
    Path("key").chmod(0o640)
    code, _, err = released(capsys, "--sign", "key")
    assert code == 2 and "mode is 640; run chmod 600" in err and not Path("out.csv").exists()


def test_both_at_once_and_a_key_in_the_way(capsys: pytest.CaptureFixture[str], house: Path, keys: Path) -> None:
    assert released(capsys)[0] == 0
    both = ("--sign", str(keys / "office"), "--signed-by", str(keys / "office.pub"))
    code, _, err = run(capsys, "verify", "out.csv.json", *both)
    assert code == 2 and "sign first" in err
    Path("new.csv.json.sig").write_bytes((keys / "office").read_bytes())
    Path("new.csv.json.sig").chmod(0o600)
    arguments = ("release", "people.csv", "--plan", "plan.toml", "-o", "new.csv", "--overwrite")
    code, _, err = run(capsys, *arguments, "--sign", "new.csv.json.sig")
    assert code == 2 and "is an input" in err


def test_an_old_signature_does_not_stand_beside_a_new_record(tmp_path: Path, keys: Path) -> None:
    plan = ReleasePlan({"illness": "randomized-response:epsilon=1,letters=flu|none|cold"})
    made = release(plan, opened(), tmp_path / "o.csv", sign=keys / "office")
    assert verify(made.record_file, signed_by=keys / "office.pub").signed and made.signature is not None
    told = {str(check.name): check.holds for check in verify(made.record_file, signed_by=keys / "office.pub").checks}
    assert told["letters of illness"] is True
    again = release(plan, opened(), tmp_path / "o.csv", overwrite=True)
    assert again.signature is None and not made.signature.exists()
    assert not verify(again.record_file, signed_by=keys / "office.pub").holds


def swapped(monkeypatch: pytest.MonkeyPatch, record: Path, later: bytes) -> None:
    """The record has other bytes as soon as it was read once."""
    really_open = Path.open

    def opened_once(path: Path, *how: Any, **more: Any) -> Any:
        if path.name != record.name:
            return really_open(path, *how, **more)
        with really_open(record, "r+b") as file:
            content = file.read()
            file.seek(0)
            file.truncate()
            file.write(later)
        return BytesIO(content)

    monkeypatch.setattr(Path, "open", opened_once)


def forged(record: Path, **changes: object) -> bytes:
    fields = {**json.loads(record.read_text()), **changes}
    return text_of({**fields, "digest": digest_of(fields)}).encode()


def test_a_record_that_is_swapped_while_it_is_checked(
    capsys: pytest.CaptureFixture[str], house: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is signed is what was checked, and what was signed is what is checked."""
    record = Path("out.csv.json")
    released(capsys)
    honest, wrong, other = record.read_bytes(), forged(record, rows=3), forged(record, created="2020-01-01T00:00:00Z")
    record.write_bytes(wrong)
    with monkeypatch.context() as patched:
        swapped(patched, record, honest)
        assert run(capsys, "verify", str(record), "--sign", str(keys / "office"))[0] == 1
    assert not Path("out.csv.json.sig").exists()
    record.write_bytes(honest)
    assert run(capsys, "verify", str(record), "--sign", str(keys / "office"))[0] == 0
    with monkeypatch.context() as patched:
        swapped(patched, record, other)
        code, out, _ = run(capsys, "verify", str(record), "--signed-by", str(keys / "office.pub"), "--json")
    assert code == 0 and json.loads(out)["digest"] == json.loads(honest)["digest"]
    assert run(capsys, "verify", str(record), "--signed-by", str(keys / "office.pub"))[0] == 1


PRIME = 2**255 - 19
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME


def added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """The sum of two points of edwards25519."""
    (x, y), (u, v) = one, other
    both = CURVE * x * u * y * v
    return (
        (x * v + u * y) * pow(1 + both, -1, PRIME) % PRIME,
        (y * v + x * u) * pow(1 - both, -1, PRIME) % PRIME,
    )


def small_order() -> set[bytes]:
    """Every way to write a point of small order: eight times a multiple of one of order 8 is nought."""
    # The order of any point without its large prime factor.
    large = 2**252 + 27742317777372353535851937790883648493
    points = set()
    for y in range(2, 12):
        square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
        x = pow(square, (PRIME + 3) // 8, PRIME)
        x = x if x * x % PRIME == square else x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
        if x * x % PRIME != square:
            continue
        found, power = (0, 1), (x, y)
        for bit in range(large.bit_length()):
            found, power = added(found, power) if large >> bit & 1 else found, added(power, power)
        points.add(found)
        for _ in range(7):
            points.add(added(found, max(points)))
    ways = {way for _, y in points for way in (y, y + PRIME) if way < 1 << 255}
    return {(way | sign << 255).to_bytes(32, "little") for way in ways for sign in (0, 1)}


def test_a_public_key_of_small_order_is_refused(capsys: pytest.CaptureFixture[str], house: Path, keys: Path) -> None:
    """Under such a key a signature that was made with no key holds, of one record in eight or of every one."""
    written = small_order()
    assert len({(int.from_bytes(one, "little") & ((1 << 255) - 1)) % PRIME for one in written}) == 5
    released(capsys)
    record = Path("out.csv.json")
    # Of the identity any signature (R, s) with R = s·B holds, whatever is signed.
    Path("out.csv.json.sig").write_bytes((1).to_bytes(32, "little") + bytes(32))
    for raw in written:
        Path("key").write_bytes(b"ssh-ed25519 " + b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0 " + raw))
        code, out, err = run(capsys, "verify", str(record), "--signed-by", "key")
        assert code == 2 and "of small order" in err and err.count("\n") == 1 and not out


def test_without_the_extra_one_sentence_names_it(
    capsys: pytest.CaptureFixture[str], house: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released(capsys)
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    for more in (("--sign", str(keys / "office")), ("--signed-by", str(keys / "office.pub"))):
        code, _, err = run(capsys, "verify", "out.csv.json", *more)
        assert code == 2 and "pip install leakgauge[signing]" in err and err.count("\n") == 1
    assert run(capsys, "verify", "out.csv.json")[0] == 0
