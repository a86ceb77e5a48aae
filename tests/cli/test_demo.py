from pathlib import Path

from cli.cli import proofreel
from proofreel.runs import load_results


def test_demo_compares_and_proves(tmp_path: Path) -> None:
    ran = proofreel("demo", cwd=tmp_path, timeout=280)
    assert ran.code == 0, ran.out + ran.err
    out = tmp_path / "demo_out"
    results = load_results(out / "mini/results.jsonl")
    assert len(results) == 20
    by_agent = {a: [r for r in results if r.agent == a] for a in ("blind", "retrieval")}
    right = {a: sum(r.verdict.outcome == "right" for r in rs) for a, rs in by_agent.items()}
    assert right["retrieval"] >= 6, "eight of the ten can be read or heard"
    assert right["retrieval"] > right["blind"]
    sight = [r for r in by_agent["retrieval"] if r.item_id in ("9", "10")]
    assert all(r.verdict.abstained for r in sight), "what can only be seen is not guessed"
    assert "demo_out/report.html" in ran.out.replace("\n", "")
    report = (out / "report.html").read_text(encoding="utf-8")
    for result in by_agent["retrieval"]:
        assert f'href="mini_{result.item_id}.html"' in report
        assert (out / f"mini_{result.item_id}.html").stat().st_size > 50_000
