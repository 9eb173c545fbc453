// @module-tag long
import { interleavingsPart } from "./interleavings-part.ts";

interleavingsPart(1);
