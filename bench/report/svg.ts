/** A self-contained drawing: readable on light and dark pages, without scripts or external fonts. */
export function svgDocument(width: number, height: number, title: string, body: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
<rect class="page" width="${width}" height="${height}" rx="6"/>
${body.join('\n')}
</svg>
`;
}

export interface TextLook {
  readonly kind?: 'title' | 'small';
  readonly anchor?: 'start' | 'middle' | 'end';
}

export function svgText(x: number, y: number, text: string, { kind, anchor }: TextLook = {}): string {
  const look = (kind === undefined ? '' : ` class="${kind}"`) + (anchor === undefined ? '' : ` text-anchor="${anchor}"`);
  return `<text x="${rounded(x)}" y="${rounded(y)}"${look}>${escapeXml(text)}</text>`;
}

export function svgLine(from: readonly [number, number], to: readonly [number, number], kind: string): string {
  return `<line class="${kind}" x1="${rounded(from[0])}" y1="${rounded(from[1])}" x2="${rounded(to[0])}" y2="${rounded(to[1])}"/>`;
}

export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** c0 is the reference; colour-blind readers can tell c1 to c4 apart. */
const STYLE = `
text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.small{font-size:11px;fill:#59636e}
.page{fill:#fff}.grid{stroke:#d1d9e0}.range{stroke:#1f2328;stroke-width:1.5}.mark{stroke:#59636e;stroke-dasharray:4 3}
.c0{fill:#9aa4b0;stroke:#9aa4b0}.c1{fill:#2f6fde;stroke:#2f6fde}.c2{fill:#d9730d;stroke:#d9730d}.c3{fill:#1a8f6f;stroke:#1a8f6f}
.c4{fill:#a54bc4;stroke:#a54bc4}polyline{fill:none!important;stroke-width:2}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}.page{fill:#0d1117}.grid{stroke:#3d444d}
.range{stroke:#f0f6fc}.mark{stroke:#9198a1}.c0{fill:#6e7781;stroke:#6e7781}.c1{fill:#5b9bff;stroke:#5b9bff}}`;
