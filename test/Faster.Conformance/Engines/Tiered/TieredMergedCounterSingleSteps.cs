using Faster.Conformance.Engines.Kinds;
using Faster.Conformance.Suites;

namespace Faster.Conformance.Engines.Tiered;

public sealed class TieredMergedCounterSingleSteps : SingleSteps<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterOperationForms : OperationForms<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterUpdateStatuses : UpdateStatuses<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterCompletions : Completions<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterModelComparison : ModelComparison<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterLargerThanMemory : LargerThanMemory<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterConcurrentCounters : ConcurrentCounters<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterConcurrentHistories : ConcurrentHistories<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterSessionLife : SessionLife<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterCrowdedIndex : CrowdedIndex<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterEachDurableModelComparison
    : ModelComparison<EachDurable<TieredMergedCounters, long, long>, long, long>;

public sealed class TieredMergedCounterEachDurableConcurrentHistories
    : ConcurrentHistories<EachDurable<TieredMergedCounters, long, long>, long, long>;

public sealed class TieredMergedCounterSessionPrefixes : SessionPrefixes<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterCommitBoundaries : CommitBoundaries<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterAcknowledgedIsDurable : AcknowledgedIsDurable<TieredMergedCounters, long, long>;

public sealed class TieredMergedCounterConservedSums : ConservedSums<TieredMergedCounters>;

public sealed class TieredMergedCounterMixedUnits : MixedUnits<TieredMergedCounters>;

public sealed class TieredMergedCounterScansAndExports : ScansAndExports<TieredMergedCounters, long, long>;

public sealed class TieredMergedAppenderSingleSteps : SingleSteps<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderOperationForms : OperationForms<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderUpdateStatuses : UpdateStatuses<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderCompletions : Completions<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderModelComparison : ModelComparison<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderLargerThanMemory : LargerThanMemory<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderConcurrentCounters : ConcurrentCounters<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderConcurrentHistories
    : ConcurrentHistories<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderSessionLife : SessionLife<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderCrowdedIndex : CrowdedIndex<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderScansAndExports : ScansAndExports<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderSessionPrefixes : SessionPrefixes<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderCommitBoundaries : CommitBoundaries<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderAcknowledgedIsDurable
    : AcknowledgedIsDurable<TieredMergedAppenders, byte[], byte[]>;

public sealed class TieredMergedAppenderVariableLengthValues : VariableLengthValues<TieredMergedAppenders>;
