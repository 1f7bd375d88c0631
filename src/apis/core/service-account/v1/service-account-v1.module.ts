import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { TokenRequestModule } from '../../../authentication/token-request/token-request.module.js';
import { TokenRequestStore } from '../../../authentication/token-request/token-request.store.js';
import { ServiceAccountModule } from '../service-account.module.js';
import { serviceAccountV1 } from '../service-account.resource.js';
import { ServiceAccountStore } from '../service-account.store.js';

const TOKEN = [{ name: 'token', verbs: ['create'], store: TokenRequestStore }] as const;

/** ServiceAccount in version v1; `token` issues its tokens. */
@Module({ imports: [ServiceAccountModule, TokenRequestModule], providers: [serves(ServiceAccountStore, serviceAccountV1, TOKEN)] })
export class ServiceAccountV1Module {}
