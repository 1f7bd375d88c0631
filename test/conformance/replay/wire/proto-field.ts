/** The type of a protobuf field's value; any other name is a message in `PROTO_MESSAGES`. */
export type ProtoType = 'text' | 'integer' | 'boolean' | 'json' | 'object' | 'Time' | 'MicroTime' | (string & {});

export interface ProtoField {
  readonly number: number;
  readonly type: ProtoType;
  readonly shape: 'single' | 'list' | 'map';
  /** Whether the field distinguishes zero from absent (a pointer in Go); otherwise a zero may be sent or left out. */
  readonly keepsZero: boolean;
}

export type ProtoMessage = Readonly<Record<string, ProtoField>>;

export const field = (number: number, type: ProtoType): ProtoField => ({ number, type, shape: 'single', keepsZero: false });
export const pointer = (number: number, type: ProtoType): ProtoField => ({ number, type, shape: 'single', keepsZero: true });
export const list = (number: number, type: ProtoType): ProtoField => ({ number, type, shape: 'list', keepsZero: false });
export const map = (number: number): ProtoField => ({ number, type: 'text', shape: 'map', keepsZero: false });
export const text = (number: number): ProtoField => field(number, 'text');
