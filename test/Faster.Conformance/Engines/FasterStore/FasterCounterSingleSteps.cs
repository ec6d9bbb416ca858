using Faster.Conformance.Engines.Kinds;
using Faster.Conformance.Suites;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore;

public sealed class FasterCounterSingleSteps : SingleSteps<FasterCounters, long, long>;

public sealed class FasterCounterOperationForms : OperationForms<FasterCounters, long, long>;

public sealed class FasterCounterUpdateStatuses : UpdateStatuses<FasterCounters, long, long>;

public sealed class FasterCounterCompletions : Completions<FasterCounters, long, long>;

public sealed class FasterCounterModelComparison : ModelComparison<FasterCounters, long, long>;

public sealed class FasterCounterLargerThanMemory : LargerThanMemory<FasterCounters, long, long>;

public sealed class FasterCounterConcurrentCounters : ConcurrentCounters<FasterCounters, long, long>;

public sealed class FasterCounterConcurrentHistories : ConcurrentHistories<FasterCounters, long, long>;

public sealed class FasterCounterSessionLife : SessionLife<FasterCounters, long, long>;

public sealed class FasterCounterCrowdedIndex : CrowdedIndex<FasterCounters, long, long>;

public sealed class FasterCounterEachDurableModelComparison
    : ModelComparison<EachDurable<FasterCounters, long, long>, long, long>;

public sealed class FasterCounterEachDurableConcurrentHistories
    : ConcurrentHistories<EachDurable<FasterCounters, long, long>, long, long>;

public sealed class FasterCounterScansAndExports : ScansAndExports<FasterCounters, long, long>;

public sealed class FasterCounterKeyHistories : KeyHistories<FasterCounters, long, long>;

public sealed class FasterCounterSessionPrefixes : SessionPrefixes<FasterCounters, long, long>;

public sealed class FasterCounterCommitBoundaries : CommitBoundaries<FasterCounters, long, long>;

public sealed class FasterCounterAcknowledgedIsDurable : AcknowledgedIsDurable<FasterCounters, long, long>;

public sealed class FasterCounterConservedSums : ConservedSums<FasterCounters>;

public sealed class FasterCounterMixedUnits : MixedUnits<FasterCounters>;

public sealed class FasterAppenderSingleSteps : SingleSteps<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderOperationForms : OperationForms<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderUpdateStatuses : UpdateStatuses<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderCompletions : Completions<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderModelComparison : ModelComparison<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderLargerThanMemory : LargerThanMemory<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderConcurrentCounters : ConcurrentCounters<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderConcurrentHistories : ConcurrentHistories<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderSessionLife : SessionLife<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderCrowdedIndex : CrowdedIndex<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderScansAndExports : ScansAndExports<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderKeyHistories : KeyHistories<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderSessionPrefixes : SessionPrefixes<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderCommitBoundaries : CommitBoundaries<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderAcknowledgedIsDurable : AcknowledgedIsDurable<FasterAppenders, byte[], byte[]>;

public sealed class FasterAppenderVariableLengthValues : VariableLengthValues<FasterAppenders>;

public sealed class FasterCellUpdateOutputs : UpdateOutputs<FasterCells>;
