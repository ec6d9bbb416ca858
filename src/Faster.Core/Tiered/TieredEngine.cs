using Faster.Contracts;
using Faster.Tiered;

namespace Faster;

/// <summary>
/// The engine F2, for <see cref="StoreAttribute.Engine"/>: a hot log for the records that are written, above a cold log
/// with an index that takes less than a byte of memory a key (paper 003). For large skewed data on little memory.
/// </summary>
public sealed class TieredEngine : IEngine<TieredStore, TieredSession, TieredOptions>
{
    private TieredEngine()
    {
    }
}
