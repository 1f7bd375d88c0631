/** One request as sent over the wire. `${ns}` in target and body stands for the namespace of the lane that sends it. */
export interface FuzzRequest {
  readonly protocol: 'http/1.1' | 'h2';
  method: string;
  /** Path and query exactly as sent. */
  target: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  /** Whether it is malformed HTTP: the server may close the connection instead of answering. */
  hostile: boolean;
}

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** Whether the client stopped reading a stream that continues. */
  readonly open: boolean;
}

export type Exchange = FuzzAnswer | { readonly failure: string };

/** The value of the last header with this lower-case name. */
export function headerOf(request: FuzzRequest, name: string): string | undefined {
  return request.headers.findLast(([key]) => key.toLowerCase() === name)?.[1];
}

export function setHeader(request: FuzzRequest, name: string, value: string): void {
  request.headers = request.headers.filter(([key]) => key.toLowerCase() !== name);
  request.headers.push([name, value]);
}

/** The request with the lane's namespace filled in. */
export function inNamespace(request: FuzzRequest, namespace: string): FuzzRequest {
  const { body } = request;
  const marked = body?.includes('${ns}') === true;
  return {
    ...request,
    target: request.target.replaceAll('${ns}', namespace).replaceAll('%24%7Bns%7D', namespace),
    body: marked ? Buffer.from(body.toString('latin1').replaceAll('${ns}', namespace), 'latin1') : body,
  };
}
