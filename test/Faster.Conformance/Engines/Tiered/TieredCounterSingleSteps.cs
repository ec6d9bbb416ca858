using Faster.Conformance.Engines.Kinds;
using Faster.Conformance.Suites;

namespace Faster.Conformance.Engines.Tiered;

public sealed class TieredCounterSingleSteps : SingleSteps<TieredCounters, long, long>;

public sealed class TieredCounterOperationForms : OperationForms<TieredCounters, long, long>;

public sealed class TieredCounterUpdateStatuses : UpdateStatuses<TieredCounters, long, long>;

public sealed class TieredCounterCompletions : Completions<TieredCounters, long, long>;

public sealed class TieredCounterModelComparison : ModelComparison<TieredCounters, long, long>;

public sealed class TieredCounterLargerThanMemory : LargerThanMemory<TieredCounters, long, long>;

public sealed class TieredCounterConcurrentCounters : ConcurrentCounters<TieredCounters, long, long>;

public sealed class TieredCounterConcurrentHistories : ConcurrentHistories<TieredCounters, long, long>;

public sealed class TieredCounterSessionLife : SessionLife<TieredCounters, long, long>;

public sealed class TieredCounterCrowdedIndex : CrowdedIndex<TieredCounters, long, long>;

public sealed class TieredCounterEachDurableModelComparison
    : ModelComparison<EachDurable<TieredCounters, long, long>, long, long>;

public sealed class TieredCounterEachDurableConcurrentHistories
    : ConcurrentHistories<EachDurable<TieredCounters, long, long>, long, long>;

public sealed class TieredCounterScansAndExports : ScansAndExports<TieredCounters, long, long>;

public sealed class TieredCounterKeyHistories : KeyHistories<TieredCounters, long, long>;

public sealed class TieredCounterSessionPrefixes : SessionPrefixes<TieredCounters, long, long>;

public sealed class TieredCounterCommitBoundaries : CommitBoundaries<TieredCounters, long, long>;

public sealed class TieredCounterAcknowledgedIsDurable : AcknowledgedIsDurable<TieredCounters, long, long>;

public sealed class TieredCounterConservedSums : ConservedSums<TieredCounters>;

public sealed class TieredCounterMixedUnits : MixedUnits<TieredCounters>;

public sealed class TieredAppenderSingleSteps : SingleSteps<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderOperationForms : OperationForms<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderUpdateStatuses : UpdateStatuses<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderCompletions : Completions<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderModelComparison : ModelComparison<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderLargerThanMemory : LargerThanMemory<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderConcurrentCounters : ConcurrentCounters<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderConcurrentHistories : ConcurrentHistories<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderSessionLife : SessionLife<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderCrowdedIndex : CrowdedIndex<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderScansAndExports : ScansAndExports<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderKeyHistories : KeyHistories<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderSessionPrefixes : SessionPrefixes<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderCommitBoundaries : CommitBoundaries<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderAcknowledgedIsDurable : AcknowledgedIsDurable<TieredAppenders, byte[], byte[]>;

public sealed class TieredAppenderVariableLengthValues : VariableLengthValues<TieredAppenders>;

public sealed class TieredCellUpdateOutputs : UpdateOutputs<TieredCellEngine>;
