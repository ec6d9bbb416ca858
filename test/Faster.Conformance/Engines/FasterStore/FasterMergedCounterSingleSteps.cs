using Faster.Conformance.Engines.Kinds;
using Faster.Conformance.Suites;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore;

public sealed class FasterMergedCounterSingleSteps : SingleSteps<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterOperationForms : OperationForms<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterUpdateStatuses : UpdateStatuses<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterCompletions : Completions<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterModelComparison : ModelComparison<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterLargerThanMemory : LargerThanMemory<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterConcurrentCounters : ConcurrentCounters<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterConcurrentHistories : ConcurrentHistories<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterSessionLife : SessionLife<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterCrowdedIndex : CrowdedIndex<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterEachDurableModelComparison
    : ModelComparison<EachDurable<FasterMergedCounters, long, long>, long, long>;

public sealed class FasterMergedCounterEachDurableConcurrentHistories
    : ConcurrentHistories<EachDurable<FasterMergedCounters, long, long>, long, long>;

public sealed class FasterMergedCounterScansAndExports : ScansAndExports<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterSessionPrefixes : SessionPrefixes<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterCommitBoundaries : CommitBoundaries<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterAcknowledgedIsDurable : AcknowledgedIsDurable<FasterMergedCounters, long, long>;

public sealed class FasterMergedCounterConservedSums : ConservedSums<FasterMergedCounters>;

public sealed class FasterMergedCounterMixedUnits : MixedUnits<FasterMergedCounters>;

public sealed class FasterMergedAppenderSingleSteps : SingleSteps<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderOperationForms : OperationForms<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderUpdateStatuses : UpdateStatuses<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderCompletions : Completions<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderModelComparison : ModelComparison<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderLargerThanMemory : LargerThanMemory<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderConcurrentCounters : ConcurrentCounters<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderConcurrentHistories
    : ConcurrentHistories<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderSessionLife : SessionLife<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderCrowdedIndex : CrowdedIndex<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderScansAndExports : ScansAndExports<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderSessionPrefixes : SessionPrefixes<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderCommitBoundaries : CommitBoundaries<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderAcknowledgedIsDurable
    : AcknowledgedIsDurable<FasterMergedAppenders, byte[], byte[]>;

public sealed class FasterMergedAppenderVariableLengthValues : VariableLengthValues<FasterMergedAppenders>;
