using Faster.Conformance.Suites;

namespace Faster.Conformance.Engines.HotRing;

public sealed class HotRingCounterSingleSteps : SingleSteps<HotRingCounters, long, long>;

public sealed class HotRingCounterOperationForms : OperationForms<HotRingCounters, long, long>;

public sealed class HotRingCounterUpdateStatuses : UpdateStatuses<HotRingCounters, long, long>;

public sealed class HotRingCounterCompletions : Completions<HotRingCounters, long, long>;

public sealed class HotRingCounterModelComparison : ModelComparison<HotRingCounters, long, long>;

public sealed class HotRingCounterLargerThanMemory : LargerThanMemory<HotRingCounters, long, long>;

public sealed class HotRingCounterConcurrentCounters : ConcurrentCounters<HotRingCounters, long, long>;

public sealed class HotRingCounterConcurrentHistories : ConcurrentHistories<HotRingCounters, long, long>;

public sealed class HotRingCounterSessionLife : SessionLife<HotRingCounters, long, long>;

public sealed class HotRingCounterCrowdedIndex : CrowdedIndex<HotRingCounters, long, long>;

public sealed class HotRingCounterScansAndExports : ScansAndExports<HotRingCounters, long, long>;

public sealed class HotRingAppenderSingleSteps : SingleSteps<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderOperationForms : OperationForms<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderUpdateStatuses : UpdateStatuses<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderCompletions : Completions<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderModelComparison : ModelComparison<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderLargerThanMemory : LargerThanMemory<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderConcurrentCounters : ConcurrentCounters<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderConcurrentHistories : ConcurrentHistories<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderSessionLife : SessionLife<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderCrowdedIndex : CrowdedIndex<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderScansAndExports : ScansAndExports<HotRingAppenders, byte[], byte[]>;

public sealed class HotRingAppenderVariableLengthValues : VariableLengthValues<HotRingAppenders>;

public sealed class HotRingCellUpdateOutputs : UpdateOutputs<HotRingCellEngine>;
