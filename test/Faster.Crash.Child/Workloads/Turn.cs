namespace Faster.Crash.Workloads;

/// <summary>The points from which on sessions follow another seed.</summary>
/// <param name="After">The points.</param>
/// <param name="Seed">The seed.</param>
public sealed record Turn(SessionPoint[] After, int Seed);
