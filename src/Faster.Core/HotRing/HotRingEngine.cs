using Faster.Contracts;
using Faster.HotRing;

namespace Faster;

/// <summary>
/// The HotRing engine, for <see cref="StoreAttribute.Engine"/>: a hash index of rings whose heads move to the hottest
/// record of each ring, in memory only (paper 002). For reads of highly skewed keys with a small index.
/// </summary>
public sealed class HotRingEngine : IEngine<HotRingStore, HotRingSession, HotRingOptions>
{
    private HotRingEngine()
    {
    }
}
