namespace Faster.Contracts;

/// <summary>A session with a unit, as <see cref="CommitUnit"/> sees it.</summary>
internal interface IUnitSession
{
    /// <summary>Ends a unit; does nothing if it has ended, unless it is completed.</summary>
    /// <param name="serialNumber">The unit's number.</param>
    /// <param name="completes">Whether all of its operations were issued.</param>
    void EndUnit(long serialNumber, bool completes);

    /// <summary>Completes a unit without a thread while operations are pending.</summary>
    /// <param name="serialNumber">The unit's number.</param>
    ValueTask EndUnitAsync(long serialNumber);
}
