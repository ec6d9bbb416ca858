using Faster.Conformance.Suites;

namespace Faster.Conformance.Engines.Transactional;

public sealed class TransactionalCounterSingleSteps : SingleSteps<TransactionalCounters, long, long>;

public sealed class TransactionalCounterOperationForms : OperationForms<TransactionalCounters, long, long>;

public sealed class TransactionalCounterUpdateStatuses : UpdateStatuses<TransactionalCounters, long, long>;

public sealed class TransactionalCounterCompletions : Completions<TransactionalCounters, long, long>;

public sealed class TransactionalCounterModelComparison : ModelComparison<TransactionalCounters, long, long>;

public sealed class TransactionalCounterLargerThanMemory : LargerThanMemory<TransactionalCounters, long, long>;

public sealed class TransactionalCounterConcurrentCounters : ConcurrentCounters<TransactionalCounters, long, long>;

public sealed class TransactionalCounterConcurrentHistories : ConcurrentHistories<TransactionalCounters, long, long>;

public sealed class TransactionalCounterSessionLife : SessionLife<TransactionalCounters, long, long>;

public sealed class TransactionalCounterCrowdedIndex : CrowdedIndex<TransactionalCounters, long, long>;

public sealed class TransactionalCounterScansAndExports : ScansAndExports<TransactionalCounters, long, long>;

public sealed class TransactionalCounterSessionPrefixes : SessionPrefixes<TransactionalCounters, long, long>;

public sealed class TransactionalCounterCommitBoundaries : CommitBoundaries<TransactionalCounters, long, long>;

public sealed class TransactionalCounterAcknowledgedIsDurable
    : AcknowledgedIsDurable<TransactionalCounters, long, long>;

public sealed class TransactionalCounterConservedSums : ConservedSums<TransactionalCounters>;

public sealed class TransactionalCounterMixedUnits : MixedUnits<TransactionalCounters>;

public sealed class TransactionalAppenderSingleSteps : SingleSteps<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderOperationForms : OperationForms<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderUpdateStatuses : UpdateStatuses<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderCompletions : Completions<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderModelComparison : ModelComparison<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderLargerThanMemory : LargerThanMemory<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderConcurrentCounters
    : ConcurrentCounters<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderConcurrentHistories
    : ConcurrentHistories<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderSessionLife : SessionLife<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderCrowdedIndex : CrowdedIndex<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderScansAndExports : ScansAndExports<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderSessionPrefixes : SessionPrefixes<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderCommitBoundaries : CommitBoundaries<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderAcknowledgedIsDurable
    : AcknowledgedIsDurable<TransactionalAppenders, byte[], byte[]>;

public sealed class TransactionalAppenderVariableLengthValues : VariableLengthValues<TransactionalAppenders>;

public sealed class TransactionalCellUpdateOutputs : UpdateOutputs<TransactionalCellEngine>;
