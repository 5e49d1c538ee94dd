// Writes a small ONNX file byte by byte: y = x * w with one MatMul node of any name. Field numbers
// come from onnx.proto.

function varint(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}

const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);

function bytes(field, value) {
  const payload = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(payload.length), payload]);
}

const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

const kFloat = 1;

/** A ValueInfoProto for a float tensor. */
function value_info(field, name, shape) {
  const dims = shape.map((extent) => message(1, number(1, extent)));
  return message(field, bytes(1, name), message(2, message(1, number(1, kFloat),
    message(2, ...dims))));
}

function initializer(field, name, [rows, cols]) {
  const raw = Buffer.alloc(4 * rows * cols);
  for (let i = 0; i < rows * cols; ++i) raw.writeFloatLE(((i * 7) % 11) / 11 - 0.5, 4 * i);
  return message(field, number(1, rows), number(1, cols), number(2, kFloat), bytes(8, name),
    bytes(9, raw));
}

/** x [m,k] times constant weights [k,n]; `name` is the node's name. */
export function matmul_model(name, m, k, n) {
  const node = message(1, bytes(1, 'x'), bytes(1, 'w'), bytes(2, 'y'), bytes(3, name),
    bytes(4, 'MatMul'));
  const graph = message(7, node, bytes(2, 'g'), initializer(5, 'w', [k, n]),
    value_info(11, 'x', [m, k]), value_info(12, 'y', [m, n]));
  return Buffer.concat([number(1, 8), graph, message(8, number(2, 13))]);
}
