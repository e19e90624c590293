/** Binary PGM (P5, 8 bit): the only image format that the scanners deliver. */
export function decodePgm(buffer) {
  const header = /^P5\s+(\d+)\s+(\d+)\s+(\d+)\s/.exec(buffer.subarray(0, 64).toString('latin1'));
  if (!header || Number(header[3]) !== 255) throw new TypeError('not an 8-bit binary PGM');
  const [width, height] = [Number(header[1]), Number(header[2])];
  const pixels = buffer.subarray(header[0].length);
  if (pixels.length !== width * height) throw new TypeError('truncated PGM');
  return { width, height, pixels };
}

export function encodePgm({ width, height, pixels }) {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), pixels]);
}

/** Scales so that the longest side is at most `longest`, by the mean of each box. */
export function shrink({ width, height, pixels }, longest) {
  const factor = Math.max(1, Math.max(width, height) / longest);
  const w = Math.max(1, Math.round(width / factor));
  const h = Math.max(1, Math.round(height / factor));
  const out = Buffer.alloc(w * h);
  for (let y = 0; y < h; y++) {
    const [y0, y1] = [Math.floor((y * height) / h), Math.ceil(((y + 1) * height) / h)];
    for (let x = 0; x < w; x++) {
      const [x0, x1] = [Math.floor((x * width) / w), Math.ceil(((x + 1) * width) / w)];
      let sum = 0;
      for (let j = y0; j < y1; j++) for (let i = x0; i < x1; i++) sum += pixels[j * width + i];
      out[y * w + x] = Math.round(sum / ((y1 - y0) * (x1 - x0)));
    }
  }
  return { width: w, height: h, pixels: out };
}
