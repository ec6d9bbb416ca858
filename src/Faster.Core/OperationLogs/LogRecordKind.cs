namespace Faster.OperationLogs;

/// <summary>What a record of an operation log says.</summary>
internal enum LogRecordKind : byte
{
    /// <summary>A key has this value.</summary>
    Put = 1,

    /// <summary>A key has no value.</summary>
    Remove,

    /// <summary>A value is merged into what the key has.</summary>
    Delta,

    /// <summary>An operation has changed nothing, and its number is not lost.</summary>
    Void,

    /// <summary>The unit of this number is whole.</summary>
    UnitEnd,

    /// <summary>What records of these numbers say was not done.</summary>
    Cancel,

    /// <summary>Nothing, up to the end of the log's space: a record never crosses it.</summary>
    Pad,

    /// <summary>Keys have these values, or none: all that one transaction has changed.</summary>
    Transaction,
}
