"""Draws docs/coverage.svg from docs/coverage.csv: coverage of a proportion's intervals at n = 24.

Usage: python docs/coverage-figure.py     (the standard library is enough)
"""

import csv
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 680, 400, 60, 130, 46, 48
LOW, HIGH = 0.88, 1.0
# Okabe and Ito's colours, and a dash of its own each.
LOOKS = {"wilson": ("#0072b2", ""), "clopper-pearson": ("#009e73", "6 3"),
         "jeffreys": ("#cc79a7", "2 2"), "mid-p": ("#e69f00", "8 3 2 3")}


def x(p):
    return LEFT + p / 0.5 * (WIDTH - LEFT - RIGHT)


def y(coverage):
    return HEIGHT - BOTTOM - (coverage - LOW) / (HIGH - LOW) * (HEIGHT - TOP - BOTTOM)


def text(at_x, at_y, words, anchor="start", size=11, more=""):
    return (f'<text x="{at_x:.1f}" y="{at_y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'{more}>{words}</text>')


def main():
    curves = {method: [] for method in LOOKS}
    for row in csv.DictReader((HERE / "coverage.csv").open()):
        if row["family"] == "proportions" and row["size"] == "n=24":
            p = float(row["truth"].removeprefix("p="))
            curves[row["method"]].append((p, float(row["coverage"])))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" fill="#222">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        text(14, 20, "Coverage of 95 % intervals for a proportion, n = 24", size=13,
             more='font-weight="bold"'),
        text(14, 36, "Exact; above one half it is the mirror image.", size=10),
    ]
    for i in range(7):
        level = LOW + i * 0.02
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(level):.1f}" '
                     f'y2="{y(level):.1f}" stroke="#e4e4e4"/>')
        parts.append(text(LEFT - 6, y(level) + 4, f"{100 * level:.0f} %", "end", 10))
    for i in range(6):
        parts.append(text(x(i / 10), HEIGHT - BOTTOM + 16, f"{i / 10:.1f}", "middle", 10))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, "true probability of a stall", "middle"))
    parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(0.95):.1f}" y2="{y(0.95):.1f}" '
                 f'stroke="#222"/>')
    for i, (method, points) in enumerate(curves.items()):
        colour, dash = LOOKS[method]
        line = " ".join(f"{x(p):.1f},{y(c):.1f}" for p, c in points)
        style = f'fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash}"'
        parts.append(f'<polyline points="{line}" {style}/>')
        at = TOP + 14 + 20 * i
        parts.append(f'<line x1="{WIDTH - RIGHT + 8}" x2="{WIDTH - RIGHT + 34}" y1="{at}" y2="{at}" '
                     f'{style}/>')
        parts.append(text(WIDTH - RIGHT + 38, at + 4, method))
    parts.append("</svg>\n")
    (HERE / "coverage.svg").write_text("\n".join(parts))


if __name__ == "__main__":
    main()
