/** A PDF of so many pages, each with a text, on a red ground. */
export function pdf(pages: number): Buffer {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Count ${pages}/Kids[${Array.from({ length: pages }, (_, n) => `${4 + 2 * n} 0 R`).join(" ")}]>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
  ];
  for (let n = 1; n <= pages; n += 1) {
    const content = `1 0 0 rg 0 0 300 600 re f 0 g BT /F1 24 Tf 20 500 Td (This is page ${n}) Tj ET`;
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 600]/Contents ${3 + 2 * n} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
      `<</Length ${content.length}>>stream\n${content}\nendstream`,
    );
  }
  const body = objects.map((object, at) => `${at + 1} 0 obj${object}\nendobj`).join("\n");
  return Buffer.from(`%PDF-1.4\n${body}\ntrailer<</Root 1 0 R>>\n`);
}
