import { withoutPassword } from './connection-string.js';

test.each([
  ['postgresql://u:p%40ss@h:5432/d?sslmode=require', 'postgresql://u@h:5432/d?sslmode=require'],
  ['postgres://u:p@ss/w:rd@a:1,b:2/d', 'postgres://u@a:1,b:2/d'],
  ['postgresql://u@h/d', 'postgresql://u@h/d'],
  ['postgresql://h:5432/d?password=p&user=u', 'postgresql://h:5432/d?user=u'],
  ['postgresql://h/d?password=p', 'postgresql://h/d'],
  ["host=a password='p\\' s' user=u", 'host=a user=u'],
  ['user=u password = p\\ s', 'user=u'],
  ['c.yaml', 'c.yaml'],
])('%s is shown as %s', (url, shown) => expect(withoutPassword(url)).toBe(shown));
