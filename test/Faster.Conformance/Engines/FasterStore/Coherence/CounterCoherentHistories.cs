using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

public sealed class CounterCoherentHistories : CoherentHistories<CoherentCounters, long, long>;

public sealed class AppenderCoherentHistories : CoherentHistories<CoherentAppenders, byte[], byte[]>;

public sealed class MergedCounterCoherentHistories : CoherentHistories<CoherentMergedCounters, long, long>;

public sealed class MergedAppenderCoherentHistories : CoherentHistories<CoherentMergedAppenders, byte[], byte[]>;

public sealed class CounterCoherentModels : CoherentModels<CoherentCounters, long, long>;

public sealed class AppenderCoherentModels : CoherentModels<CoherentAppenders, byte[], byte[]>;

public sealed class LargeAppenderCoherentModels : CoherentModels<CoherentLargeAppenders, byte[], byte[]>;

public sealed class MergedCounterCoherentModels : CoherentModels<CoherentMergedCounters, long, long>;

public sealed class MergedAppenderCoherentModels : CoherentModels<CoherentMergedAppenders, byte[], byte[]>;
