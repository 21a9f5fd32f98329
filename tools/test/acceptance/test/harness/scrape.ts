/** One reading of the metrics. */
export class Scrape {
  constructor(readonly text: string) {}

  /** The sum over every series of the metric that has these labels; null when there is none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | null {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const lines = this.text
      .split('\n')
      .filter((line) => line.startsWith(`service_${name}{`) || line.startsWith(`service_${name} `))
      .filter((line) => wanted.every((label) => line.includes(label)));
    if (lines.length === 0) return null;
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }
}
