namespace Faster.Tests.Faults;

/// <summary>Tests that measure memory or handles of a process: nothing else runs beside them.</summary>
[CollectionDefinition("Alone", DisableParallelization = true)]
public sealed class Alone;
