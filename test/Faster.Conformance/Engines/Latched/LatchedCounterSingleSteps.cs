using Faster.Conformance.Suites;

namespace Faster.Conformance.Engines.Latched;

public sealed class LatchedCounterSingleSteps : SingleSteps<LatchedCounters, long, long>;

public sealed class LatchedCounterOperationForms : OperationForms<LatchedCounters, long, long>;

public sealed class LatchedCounterUpdateStatuses : UpdateStatuses<LatchedCounters, long, long>;

public sealed class LatchedCounterCompletions : Completions<LatchedCounters, long, long>;

public sealed class LatchedCounterModelComparison : ModelComparison<LatchedCounters, long, long>;

public sealed class LatchedCounterLargerThanMemory : LargerThanMemory<LatchedCounters, long, long>;

public sealed class LatchedCounterConcurrentCounters : ConcurrentCounters<LatchedCounters, long, long>;

public sealed class LatchedCounterConcurrentHistories : ConcurrentHistories<LatchedCounters, long, long>;

public sealed class LatchedCounterSessionLife : SessionLife<LatchedCounters, long, long>;

public sealed class LatchedCounterCrowdedIndex : CrowdedIndex<LatchedCounters, long, long>;

public sealed class LatchedAppenderSingleSteps : SingleSteps<LatchedAppenders, byte[], byte[]>;

public sealed class LatchedAppenderOperationForms : OperationForms<LatchedAppenders, byte[], byte[]>;

public sealed class LatchedAppenderUpdateStatuses : UpdateStatuses<LatchedAppenders, byte[], byte[]>;

public sealed class LatchedAppenderCompletions : Completions<LatchedAppenders, byte[], byte[]>;

public sealed class LatchedAppenderModelComparison : ModelComparison<LatchedAppenders, byte[], byte[]>;

public sealed class LatchedAppenderLargerThanMemory : LargerThanMemory<LatchedAppenders, byte[], byte[]>;

public sealed class LatchedAppenderConcurrentCounters : ConcurrentCounters<LatchedAppenders, byte[], byte[]>;

public sealed class LatchedAppenderConcurrentHistories : ConcurrentHistories<LatchedAppenders, byte[], byte[]>;

public sealed class LatchedAppenderSessionLife : SessionLife<LatchedAppenders, byte[], byte[]>;

public sealed class LatchedAppenderCrowdedIndex : CrowdedIndex<LatchedAppenders, byte[], byte[]>;

public sealed class LatchedAppenderVariableLengthValues : VariableLengthValues<LatchedAppenders>;

public sealed class LatchedCellUpdateOutputs : UpdateOutputs<LatchedCellEngine>;
