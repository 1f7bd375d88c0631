/** The page's own address, to which the issuer leads back. It must be registered there. */
export function pageUrl(): string {
  return location.origin + location.pathname;
}
