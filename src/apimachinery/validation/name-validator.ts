/**
 * Checks an object's name; answers the messages of all rules broken, none when it is fine. With `prefix` the name is a
 * generateName, to which a suffix will be added (apimachinery pkg/api/validation NameIsDNSSubdomain and its siblings).
 */
export type NameValidator = (name: string, prefix: boolean) => string[];
