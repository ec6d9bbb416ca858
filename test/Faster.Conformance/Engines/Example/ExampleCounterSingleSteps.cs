using Faster.Conformance.Suites;

namespace Faster.Conformance.Engines.Example;

public sealed class ExampleCounterSingleSteps : SingleSteps<ExampleCounters, long, long>;

public sealed class ExampleCounterOperationForms : OperationForms<ExampleCounters, long, long>;

public sealed class ExampleCounterUpdateStatuses : UpdateStatuses<ExampleCounters, long, long>;

public sealed class ExampleCounterCompletions : Completions<ExampleCounters, long, long>;

public sealed class ExampleCounterModelComparison : ModelComparison<ExampleCounters, long, long>;

public sealed class ExampleCounterLargerThanMemory : LargerThanMemory<ExampleCounters, long, long>;

public sealed class ExampleCounterConcurrentCounters : ConcurrentCounters<ExampleCounters, long, long>;

public sealed class ExampleCounterConcurrentHistories : ConcurrentHistories<ExampleCounters, long, long>;

public sealed class ExampleCounterSessionLife : SessionLife<ExampleCounters, long, long>;

public sealed class ExampleCounterCrowdedIndex : CrowdedIndex<ExampleCounters, long, long>;

public sealed class ExampleCounterScansAndExports : ScansAndExports<ExampleCounters, long, long>;
