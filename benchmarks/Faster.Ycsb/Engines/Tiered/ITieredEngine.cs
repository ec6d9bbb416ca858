using Faster.Workload;

namespace Faster.Ycsb.Engines.Tiered;

/// <summary>An engine that is a store in two tiers, for experiments that look inside.</summary>
internal interface ITieredEngine : IEngine
{
    /// <summary>What the store says of itself.</summary>
    TieredStatistics Statistics { get; }
}
