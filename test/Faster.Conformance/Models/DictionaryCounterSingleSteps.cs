using Faster.Conformance.Suites;

namespace Faster.Conformance.Models;

public sealed class DictionaryCounterSingleSteps : SingleSteps<DictionaryCounters, long, long>;

public sealed class DictionaryCounterOperationForms : OperationForms<DictionaryCounters, long, long>;

public sealed class DictionaryCounterUpdateStatuses : UpdateStatuses<DictionaryCounters, long, long>;

public sealed class DictionaryCounterCompletions : Completions<DictionaryCounters, long, long>;

public sealed class DictionaryCounterModelComparison : ModelComparison<DictionaryCounters, long, long>;

public sealed class DictionaryCounterLargerThanMemory : LargerThanMemory<DictionaryCounters, long, long>;

public sealed class DictionaryCounterConcurrentCounters : ConcurrentCounters<DictionaryCounters, long, long>;

public sealed class DictionaryCounterConcurrentHistories : ConcurrentHistories<DictionaryCounters, long, long>;

public sealed class DictionaryCounterSessionLife : SessionLife<DictionaryCounters, long, long>;

public sealed class DictionaryCounterCrowdedIndex : CrowdedIndex<DictionaryCounters, long, long>;

public sealed class DictionaryAppenderSingleSteps : SingleSteps<DictionaryAppenders, byte[], byte[]>;

public sealed class DictionaryAppenderOperationForms : OperationForms<DictionaryAppenders, byte[], byte[]>;

public sealed class DictionaryAppenderUpdateStatuses : UpdateStatuses<DictionaryAppenders, byte[], byte[]>;

public sealed class DictionaryAppenderCompletions : Completions<DictionaryAppenders, byte[], byte[]>;

public sealed class DictionaryAppenderModelComparison : ModelComparison<DictionaryAppenders, byte[], byte[]>;

public sealed class DictionaryAppenderLargerThanMemory : LargerThanMemory<DictionaryAppenders, byte[], byte[]>;

public sealed class DictionaryAppenderConcurrentCounters : ConcurrentCounters<DictionaryAppenders, byte[], byte[]>;

public sealed class DictionaryAppenderConcurrentHistories : ConcurrentHistories<DictionaryAppenders, byte[], byte[]>;

public sealed class DictionaryAppenderSessionLife : SessionLife<DictionaryAppenders, byte[], byte[]>;

public sealed class DictionaryAppenderCrowdedIndex : CrowdedIndex<DictionaryAppenders, byte[], byte[]>;

public sealed class DictionaryAppenderVariableLengthValues : VariableLengthValues<DictionaryAppenders>;

public sealed class DictionaryCellUpdateOutputs : UpdateOutputs<DictionaryCells>;
