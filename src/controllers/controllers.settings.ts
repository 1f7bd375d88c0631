import { IsIn, Min } from 'class-validator';
import { Setting } from '../settings/setting.js';
import { CONTROLLERS } from './machinery/controller-names.js';

/** Settings of the controllers. */
export class ControllersSettings {
  @Setting({
    kind: 'list',
    help: `Controllers to run: * enables all, a name enables one, -name disables one; of: ${CONTROLLERS.join(', ')}.`,
    placeholder: 'names',
  })
  @IsIn(['*', ...CONTROLLERS, ...CONTROLLERS.map((name) => `-${name}`)], {
    each: true,
    message: `must be *, or with or without - before it of: ${CONTROLLERS.join(', ')}`,
  })
  controllers: string[] = ['*'];

  @Setting({ kind: 'duration', help: 'How long events are kept after their last change.' })
  @Min(1000, { message: 'must be at least 1s' })
  eventTtl = 3_600_000;
}
