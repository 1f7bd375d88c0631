import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** A set of addresses, from single ones and ranges such as 10.0.0.0/8. */
export class AddressRanges {
  readonly #ranges = new BlockList();

  /** Throws an error that names the text it cannot read. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const [address = '', bits] = text.split('/', 2);
      const most = isIPv4(address) ? 32 : 128;
      const prefix = Number(bits ?? most);
      const isRange =
        isIP(address) !== 0 && prefix >= 0 && prefix <= most && text === (bits === undefined ? address : `${address}/${prefix}`);
      if (!isRange) throw new Error(`"${text}" is no address and no range such as 10.0.0.0/8`);
      this.#ranges.addSubnet(address, prefix, familyOf(address));
    }
  }

  /** An IPv4 address may be in the form that dual-stack sockets show. */
  has(address: string): boolean {
    return this.#ranges.check(address, familyOf(address));
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
