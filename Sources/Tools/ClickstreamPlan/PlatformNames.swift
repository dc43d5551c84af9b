/// Names that Swift, its concurrency library, Foundation and the SDK declare, which no type of an event may shadow.
///
/// A type of the app's module shadows every imported one of the same name, in all files of the app.
enum PlatformNames {
    static let all = toolchain.union(sdk)

    /// Types and modules of the SDK: of `ClickstreamAnalytics` with what it re-exports, and of `ClickstreamServer`.
    private static let sdk: Set<String> = [
        "AttributeValue", "AttributeValueConvertible", "Attributes", "ClickstreamAnalytics", "ClickstreamAttribute",
        "ClickstreamClient", "ClickstreamConfiguration", "ClickstreamContextConfiguration", "ClickstreamCore",
        "ClickstreamEvent", "ClickstreamServer", "ConsentDecision", "ConsentPurpose", "DraftEvent",
        "ErrorCode", "EventOutcome", "FileError", "FlushError", "FlushReport", "InitError", "LinuxTransport", "Notice",
        "NoticeObserver", "ServerAccounts", "ServerEvents", "ServerEventsService", "ServerPressure", "StoreError",
        "TransportError", "URLSessionTransport", "Violation",
    ]

    /// Types and modules of Swift 6.3, and Foundation's that only Apple platforms have. `Tests/Plan/platform-names`
    /// compares them with the symbol graphs of the installed toolchain, and adds new ones.
    private static let toolchain = Set(
        """
        Actor AdditiveArithmetic AffineTransform AlignmentOptions AlternationBuilder Anchor AnyActor
        AnyBidirectionalCollection AnyClass AnyCollection AnyHashable AnyIndex AnyIterator AnyKeyPath AnyObject
        AnyRandomAccessCollection AnyRegexOutput AnySequence Array ArrayLiteralConvertible ArraySlice
        AsyncCompactMapSequence AsyncDropFirstSequence AsyncDropWhileSequence AsyncFilterSequence AsyncFlatMapSequence
        AsyncIteratorProtocol AsyncMapSequence AsyncPrefixSequence AsyncPrefixWhileSequence AsyncSequence AsyncStream
        AsyncThrowingCompactMapSequence AsyncThrowingDropWhileSequence AsyncThrowingFilterSequence
        AsyncThrowingFlatMapSequence AsyncThrowingMapSequence AsyncThrowingPrefixWhileSequence AsyncThrowingStream
        Atomic AtomicLazyReference AtomicLoadOrdering AtomicOptionalRepresentable AtomicRepresentable
        AtomicStoreOrdering AtomicUpdateOrdering AttributeContainer AttributeDynamicLookup AttributeScope
        AttributeScopeCodableConfiguration AttributeScopes AttributedString AttributedStringAttributeMutation
        AttributedStringKey AttributedStringProtocol AttributedSubstring BidirectionalCollection BidirectionalIndexable
        BidirectionalSlice BinaryFloatingPoint BinaryInteger BitwiseCopyable BlockOperation Bool
        BooleanLiteralConvertible BooleanLiteralType Bundle ByteCountFormatStyle ByteCountFormatter CBool CChar CChar16
        CChar32 CChar8 CDouble CFloat CFloat16 CGFloat CGPoint CGRect CGRectEdge CGSize CInt CLong CLongDouble CLongLong
        CShort CSignedChar CUnsignedChar CUnsignedInt CUnsignedLong CUnsignedLongLong CUnsignedShort CVaListPointer
        CVarArg CWideChar CachedURLResponse Calendar CancellationError Capture CaseIterable Character CharacterClass
        CharacterSet CheckedContinuation ChoiceOf Clock ClosedRange ClosedRangeIndex CocoaError Codable
        CodableAttributedStringKey CodableConfiguration CodableWithConfiguration CodingKey CodingKeyRepresentable
        CodingUserInfoKey Collection CollectionDifference CollectionOfOne Combine CommandLine Comparable
        ComparableComparator Comparator ComparisonResult ConcurrentValue ContiguousArray ContiguousBytes ContinuousClock
        Copyable CountableClosedRange CountablePartialRangeFrom CountableRange CurrencyFormatStyleConfiguration
        CustomConsumingRegexComponent CustomDebugStringConvertible CustomLeafReflectable CustomNSError
        CustomPlaygroundDisplayConvertible CustomPlaygroundQuickLookable CustomReflectable CustomStringConvertible
        Darwin Data DataProtocol Date DateComponents DateComponentsFormatter DateFormatter DateInterval
        DateIntervalFormatter Decimal Decodable DecodableAttributedStringKey DecodableWithConfiguration Decoder
        DecodingConfigurationProviding DecodingError DefaultBidirectionalIndices DefaultIndices
        DefaultRandomAccessIndices DefaultStringInterpolation DescriptiveNumberFormatConfiguration Dictionary
        DictionaryIndex DictionaryIterator DictionaryLiteral DictionaryLiteralConvertible Dimension DiscardingTaskGroup
        DiscontiguousAttributedSubstring DiscontiguousSlice DiscreteFormatStyle Dispatch DispatchData
        DispatchDataIterator DispatchGroup DispatchIO DispatchObject DispatchPredicate DispatchQoS DispatchQueue
        DispatchSemaphore DispatchSource DispatchSourceHandler DispatchSourceProtocol DispatchSourceRead
        DispatchSourceSignal DispatchSourceTimer DispatchSourceUserDataAdd DispatchSourceUserDataOr
        DispatchSourceUserDataReplace DispatchSourceWrite DispatchSpecificKey DispatchTime DispatchTimeInterval
        DispatchTimeoutResult DispatchWallTime DispatchWorkItem DispatchWorkItemFlags Distributed DistributedActor
        DistributedActorCodingError DistributedActorSystem DistributedActorSystemError DistributedNotificationCenter
        DistributedTargetInvocationDecoder DistributedTargetInvocationEncoder DistributedTargetInvocationResultHandler
        Double DropFirstSequence DropWhileSequence Duration DurationProtocol EmptyCollection EmptyIterator Encodable
        EncodableAttributedStringKey EncodableWithConfiguration Encoder EncodingConfigurationProviding EncodingError
        EnergyFormatter EnumeratedIterator EnumeratedSequence Equatable Error Escapable ExecuteDistributedTargetError
        Executor ExecutorJob ExpressibleByArrayLiteral ExpressibleByBooleanLiteral ExpressibleByDictionaryLiteral
        ExpressibleByExtendedGraphemeClusterLiteral ExpressibleByFloatLiteral ExpressibleByIntegerLiteral
        ExpressibleByNilLiteral ExpressibleByStringInterpolation ExpressibleByStringLiteral
        ExpressibleByUnicodeScalarLiteral Expression ExtendedGraphemeClusterLiteralConvertible
        ExtendedGraphemeClusterType FileAttributeKey FileAttributeType FileHandle FileManager FileManagerDelegate
        FileProtectionType FileWrapper FixedWidthInteger FlattenBidirectionalCollection
        FlattenBidirectionalCollectionIndex FlattenCollection FlattenCollectionIndex FlattenSequence Float Float16
        Float32 Float64 Float80 FloatLiteralConvertible FloatLiteralType FloatingPoint FloatingPointClassification
        FloatingPointFormatStyle FloatingPointParseStrategy FloatingPointRoundingRule FloatingPointSign FormatStyle
        FormatStyleCapitalizationContext Formatter Foundation FoundationEssentials FoundationInternationalization
        FoundationNetworking FoundationXML Glibc GlobalActor HTTPCookie HTTPCookiePropertyKey HTTPCookieStorage
        HTTPURLResponse Hashable Hasher Host ISO8601DateFormatter Identifiable IndexPath IndexSet Indexable
        IndexableBase IndexingIterator InflectionRule InlineArray InlinePresentationIntent InputStream InstantProtocol
        Int Int128 Int16 Int32 Int64 Int8 IntegerFormatStyle IntegerLiteralConvertible IntegerLiteralType
        IntegerParseStrategy IteratorOverOne IteratorProtocol IteratorSequence JSONDecoder JSONEncoder JSONSerialization
        Job JobPriority JoinedIterator JoinedSequence KeyPath KeyPathComparator KeyValuePairs KeyedDecodingContainer
        KeyedDecodingContainerProtocol KeyedEncodingContainer KeyedEncodingContainerProtocol LazyBidirectionalCollection
        LazyCollection LazyCollectionProtocol LazyDropWhileBidirectionalCollection LazyDropWhileCollection
        LazyDropWhileIndex LazyDropWhileIterator LazyDropWhileSequence LazyFilterBidirectionalCollection
        LazyFilterCollection LazyFilterIndex LazyFilterIterator LazyFilterSequence LazyMapBidirectionalCollection
        LazyMapCollection LazyMapIterator LazyMapRandomAccessCollection LazyMapSequence
        LazyPrefixWhileBidirectionalCollection LazyPrefixWhileCollection LazyPrefixWhileIndex LazyPrefixWhileIterator
        LazyPrefixWhileSequence LazyRandomAccessCollection LazySequence LazySequenceProtocol LengthFormatter
        ListFormatStyle ListFormatter Local LocalTestingActorAddress LocalTestingActorID
        LocalTestingDistributedActorSystem LocalTestingDistributedActorSystemError LocalTestingInvocationDecoder
        LocalTestingInvocationEncoder LocalTestingInvocationResultHandler Locale LocalizedError LocalizedStringResource
        Lookahead LosslessStringConvertible MachPort MainActor ManagedBuffer ManagedBufferPointer
        MarkdownDecodableAttributedStringKey MassFormatter Measurement MeasurementFormatter MemoryLayout MessagePort
        Mirror MirrorPath Morphology MutableBidirectionalSlice MutableCollection MutableDataProtocol MutableIndexable
        MutableRandomAccessSlice MutableRangeReplaceableBidirectionalSlice MutableRangeReplaceableRandomAccessSlice
        MutableRangeReplaceableSlice MutableRawSpan MutableSlice MutableSpan Mutex NSAffineTransform
        NSAffineTransformStruct NSArray NSAttributedString NSBinarySearchingOptions NSCache NSCacheDelegate NSCalendar
        NSCharacterSet NSCoder NSCoding NSComparisonPredicate NSCompoundPredicate NSCondition NSConditionLock NSCopying
        NSCountedSet NSData NSDate NSDateComponents NSDateInterval NSDecimalNumber NSDecimalNumberBehaviors
        NSDecimalNumberHandler NSDictionary NSEdgeInsets NSEnumerationOptions NSEnumerator NSError NSErrorDomain
        NSExceptionName NSExpression NSIndexPath NSIndexSet NSIndexSetIterator NSKeyedArchiver NSKeyedArchiverDelegate
        NSKeyedUnarchiver NSKeyedUnarchiverDelegate NSLocale NSLock NSLocking NSMeasurement NSMutableArray
        NSMutableAttributedString NSMutableCharacterSet NSMutableCopying NSMutableData NSMutableDictionary
        NSMutableIndexSet NSMutableOrderedSet NSMutableSet NSMutableString NSMutableURLRequest NSNotification NSNull
        NSNumber NSObject NSObjectProtocol NSOrderedSet NSOrthography NSPersonNameComponents NSPoint NSPointArray
        NSPointPointer NSPredicate NSRange NSRangePointer NSRect NSRectArray NSRectEdge NSRectPointer NSRecursiveLock
        NSRegularExpression NSSecureCoding NSSet NSSize NSSizeArray NSSizePointer NSSortDescriptor NSSortOptions
        NSString NSTextCheckingKey NSTextCheckingResult NSTimeZone NSURL NSURLComponents NSURLQueryItem NSURLRequest
        NSUUID NSValue NSZone NegativeLookahead Never NilLiteralConvertible Notification NotificationCenter
        NotificationQueue NumberFormatStyleConfiguration NumberFormatter Numeric ObjCBool ObjectIdentifier Observable
        Observation ObservationRegistrar Observations One OneOrMore OpaquePointer OperatingSystemVersion Operation
        OperationQueue OptionSet Optional Optionally OutputRawSpan OutputSpan OutputStream POSIXError ParseStrategy
        ParseableFormatStyle PartialAsyncTask PartialKeyPath PartialRangeFrom PartialRangeThrough PartialRangeUpTo
        PersonNameComponents PersonNameComponentsFormatter Pipe PlaygroundQuickLook Port PortDelegate PortMessage
        Predicate PredicateBindings PredicateError PredicateExpression PredicateExpressions PrefixSequence
        PresentationIntent Process ProcessInfo Progress ProgressKind ProgressReporting ProgressUserInfoKey
        PropertyListDecoder PropertyListEncoder PropertyListSerialization Protocol QualityOfService
        RandomAccessCollection RandomAccessIndexable RandomAccessSlice RandomNumberGenerator Range RangeExpression
        RangeReplaceableBidirectionalSlice RangeReplaceableCollection RangeReplaceableIndexable
        RangeReplaceableRandomAccessSlice RangeReplaceableSlice RangeSet RawRepresentable RawSpan RecoverableError
        Reference ReferenceConvertible ReferenceWritableKeyPath Regex RegexBuilder RegexComponent RegexComponentBuilder
        RegexRepetitionBehavior RegexSemanticLevel RegexWordBoundaryKind RelativeDateTimeFormatter RemoteCallArgument
        RemoteCallTarget Repeat Repeated Result ReversedCollection ReversedIndex ReversedRandomAccessCollection RunLoop
        SIMD SIMD16 SIMD2 SIMD3 SIMD32 SIMD4 SIMD64 SIMD8 SIMDMask SIMDScalar SIMDStorage Scanner
        ScopedAttributeContainer Selector Sendable SendableMetatype Sequence SerialExecutor Set SetAlgebra SetIndex
        SetIterator SignedInteger SignedNumeric SingleValueDecodingContainer SingleValueEncodingContainer Slice
        SocketNativeHandle SocketPort SortComparator SortDescriptor SortOrder Span StandardPredicateExpression
        StaticBigInt StaticString Stream StreamDelegate StreamNetworkServiceTypeValue StreamSOCKSProxyConfiguration
        StreamSOCKSProxyVersion StreamSocketSecurityLevel StrideThrough StrideThroughIterator StrideTo StrideToIterator
        Strideable String StringInterpolationConvertible StringInterpolationProtocol StringLiteralConvertible
        StringLiteralType StringProtocol StringStyle StringTransform Substring SuspendingClock Swift Synchronization
        SystemRandomNumberGenerator Task TaskExecutor TaskGroup TaskLocal TaskPriority TermOfAddress TextOutputStream
        TextOutputStreamable Thread ThrowingDiscardingTaskGroup ThrowingTaskGroup TimeInterval TimeZone Timer TryCapture
        UInt UInt128 UInt16 UInt32 UInt64 UInt8 URL URLAuthenticationChallenge URLAuthenticationChallengeSender URLCache
        URLComponents URLCredential URLCredentialStorage URLError URLFileResourceType URLProtectionSpace URLProtocol
        URLProtocolClient URLQueryItem URLRequest URLResourceKey URLResourceValues URLResponse URLSession
        URLSessionConfiguration URLSessionDataDelegate URLSessionDataTask URLSessionDelegate URLSessionDownloadDelegate
        URLSessionDownloadTask URLSessionStreamDelegate URLSessionStreamTask URLSessionTask URLSessionTaskDelegate
        URLSessionTaskMetrics URLSessionTaskTransactionMetrics URLSessionUploadTask URLSessionWebSocketDelegate
        URLSessionWebSocketTask UTF16 UTF32 UTF8 UTF8Span UUID UnboundedRange UndoManager UnfoldFirstSequence
        UnfoldSequence Unicode UnicodeCodec UnicodeDecodingResult UnicodeScalar UnicodeScalarLiteralConvertible
        UnicodeScalarType Unit UnitAcceleration UnitAngle UnitArea UnitConcentrationMass UnitConverter
        UnitConverterLinear UnitDispersion UnitDuration UnitElectricCharge UnitElectricCurrent
        UnitElectricPotentialDifference UnitElectricResistance UnitEnergy UnitFrequency UnitFuelEfficiency
        UnitIlluminance UnitInformationStorage UnitLength UnitMass UnitPower UnitPressure UnitSpeed UnitTemperature
        UnitVolume UnkeyedDecodingContainer UnkeyedEncodingContainer Unmanaged UnownedJob UnownedSerialExecutor
        UnownedTaskExecutor UnsafeBufferPointer UnsafeBufferPointerIterator UnsafeConcurrentValue UnsafeContinuation
        UnsafeCurrentTask UnsafeMutableBufferPointer UnsafeMutablePointer UnsafeMutableRawBufferPointer
        UnsafeMutableRawBufferPointerIterator UnsafeMutableRawPointer UnsafePointer UnsafeRawBufferPointer
        UnsafeRawBufferPointerIterator UnsafeRawPointer UnsafeSendable UnsafeThrowingContinuation UnsignedInteger
        UserDefaults Void WordPair WritableKeyPath XMLDTD XMLDTDNode XMLDocument XMLElement XMLNode XMLParser
        XMLParserDelegate ZeroOrMore Zip2Iterator Zip2Sequence
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )
}
