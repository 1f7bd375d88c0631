/** One request as it goes over the wire. `${ns}` in target and body stands for the namespace of the lane that sends it. */
export interface FuzzRequest {
  readonly protocol: 'http/1.1' | 'h2';
  method: string;
  /** Path and query, as raw as they are sent. */
  target: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  /** No well-formed HTTP: the server may close the connection instead of answering. */
  hostile: boolean;
}

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** The client stopped listening to a stream that goes on. */
  readonly open: boolean;
}

export type Exchange = FuzzAnswer | { readonly failure: string };

/** The value of the last header of this name, in lower case. */
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
